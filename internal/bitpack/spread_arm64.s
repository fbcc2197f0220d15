//go:build !purego

#include "textflag.h"

// R0 dst, R1 where the next value is, R2 the validity that is left, R3 orders, R4 bytes used, R5 slots left, R6 the validity of four slots

// func spread32NEON(dst *byte, src *byte, valid uint64, by *moves32)
TEXT ·spread32NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD valid+16(FP), R2
	MOVD by+24(FP), R3
	ADD  $256, R3, R4
	MOVD $16, R5

turn:
	AND    $15, R2, R6
	ADD    R6<<4, R3, R7
	VLD1   (R7), [V0.B16]
	VLD1   (R1), [V1.B16]
	MOVBU  (R4)(R6), R8
	VTBL   V0.B16, [V1.B16], V1.B16
	ADD    R8, R1, R1
	VST1.P [V1.B16], 16(R0)
	LSR    $4, R2, R2
	SUBS   $1, R5, R5
	BNE    turn
	RET

// func spread64NEON(dst *byte, src *byte, valid uint64, by *moves64)
TEXT ·spread64NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD valid+16(FP), R2
	MOVD by+24(FP), R3
	ADD  $512, R3, R4
	MOVD $16, R5

turn:
	AND    $15, R2, R6
	ADD    R6<<5, R3, R7
	VLD1   (R7), [V0.B16, V1.B16]
	VLD1   (R1), [V2.B16, V3.B16]
	MOVBU  (R4)(R6), R8
	VTBL   V0.B16, [V2.B16, V3.B16], V4.B16
	VTBL   V1.B16, [V2.B16, V3.B16], V5.B16
	ADD    R8, R1, R1
	VST1.P [V4.B16, V5.B16], 32(R0)
	LSR    $4, R2, R2
	SUBS   $1, R5, R5
	BNE    turn
	RET

//go:build !purego

#include "textflag.h"

// R0 src, R1 blocks, R2 tail
// V0, V1, V2 tables; V3 0x0f; V4 0xe0-0x80; V5 0xf0-0x80; V6 0x80; V7 the block before; V8 faults; V9 the block

// A fault of two bytes in a row has a bit in the three tables that say what halves of these have it. The bit 0x80 is of two continuations
// in a row, which is a fault unless the byte is the third or the fourth of a character, and the other way round.
#define CHECK \
	VEXT  $15, V9.B16, V7.B16, V10.B16; \
	VEXT  $14, V9.B16, V7.B16, V13.B16; \
	VEXT  $13, V9.B16, V7.B16, V14.B16; \
	VUSHR $4, V10.B16, V11.B16; \
	VAND  V3.B16, V10.B16, V10.B16; \
	VUSHR $4, V9.B16, V12.B16; \
	VTBL  V11.B16, [V0.B16], V11.B16; \
	VTBL  V10.B16, [V1.B16], V10.B16; \
	VTBL  V12.B16, [V2.B16], V12.B16; \
	WORD  $0x6e242dad; \ // UQSUB V13.16B, V13.16B, V4.16B
	WORD  $0x6e252dce; \ // UQSUB V14.16B, V14.16B, V5.16B
	VAND  V10.B16, V11.B16, V11.B16; \
	VORR  V14.B16, V13.B16, V13.B16; \
	VAND  V12.B16, V11.B16, V11.B16; \
	VAND  V6.B16, V13.B16, V13.B16; \
	VEOR  V13.B16, V11.B16, V11.B16; \
	VORR  V11.B16, V8.B16, V8.B16

// func utf8Blocks(src *byte, blocks int, tail *byte, by *byte) bool
TEXT ·utf8Blocks(SB), NOSPLIT, $0-33
	MOVD  src+0(FP), R0
	MOVD  blocks+8(FP), R1
	MOVD  tail+16(FP), R2
	MOVD  by+24(FP), R3
	VLD1  (R3), [V0.B16, V1.B16, V2.B16]
	VMOVI $0x0f, V3.B16
	VMOVI $0x60, V4.B16
	VMOVI $0x70, V5.B16
	VMOVI $0x80, V6.B16
	VEOR  V7.B16, V7.B16, V7.B16
	VEOR  V8.B16, V8.B16, V8.B16
	CBZ   R1, tail

block:
	VLD1.P 16(R0), [V9.B16]
	CHECK
	VORR   V9.B16, V9.B16, V7.B16
	SUBS   $1, R1, R1
	BNE    block

tail:
	VLD1 (R2), [V9.B16]
	CHECK
	VMOV V8.D[0], R4
	VMOV V8.D[1], R5
	ORR  R5, R4, R4
	CMP  $0, R4
	CSET EQ, R4
	MOVB R4, ret+32(FP)
	RET

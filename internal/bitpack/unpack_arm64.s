//go:build !purego

#include "textflag.h"

// A group's first four values come to one register and the others to a second one, each is brought to a lane of 32 bits with what else is
// in its bytes, and two shifts leave its own bits.
//
// R0 dst, R1 groups, R2 where the group begins, R3 size, R4 where its fifth value begins
// V0, V1 order; V2, V3 shifts to the left; V4, V5 to the right; V6, V7 values

#define LOAD \
	MOVD  dst+0(FP), R0; \
	MOVD  groups+8(FP), R1; \
	MOVD  src+16(FP), R2; \
	MOVD  size+24(FP), R3; \
	MOVD  half+32(FP), R4; \
	MOVD  by+40(FP), R5; \
	ADD   R2, R4, R4; \
	VLD1.P 64(R5), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1  (R5), [V4.B16, V5.B16]

#define GROUP \
	VLD1 (R2), [V6.B16]; \
	VLD1 (R4), [V7.B16]; \
	ADD  R3, R2, R2; \
	ADD  R3, R4, R4; \
	VTBL V0.B16, [V6.B16], V6.B16; \
	VTBL V1.B16, [V7.B16], V7.B16; \
	WORD $0x6ea244c6; \ // USHL V6.4S, V6.4S, V2.4S
	WORD $0x6ea344e7; \ // USHL V7.4S, V7.4S, V3.4S
	WORD $0x6ea444c6; \ // USHL V6.4S, V6.4S, V4.4S
	WORD $0x6ea544e7    // USHL V7.4S, V7.4S, V5.4S

// V16 ones, V17 zeros
#define CONSTANTS \
	VMOVI $1, V16.B16; \
	VUSHR $24, V16.S4, V16.S4; \
	VEOR  V17.B16, V17.B16, V17.B16

#define ZIGZAG \
	VAND  V16.B16, V6.B16, V18.B16; \
	VAND  V16.B16, V7.B16, V19.B16; \
	VSUB  V18.S4, V17.S4, V18.S4; \
	VSUB  V19.S4, V17.S4, V19.S4; \
	VUSHR $1, V6.S4, V6.S4; \
	VUSHR $1, V7.S4, V7.S4; \
	VEOR  V18.B16, V6.B16, V6.B16; \
	VEOR  V19.B16, V7.B16, V7.B16

#define NARROW \
	WORD   $0x0e6128d4; \ // XTN V20.4H, V6.4S
	WORD   $0x4e6128f4; \ // XTN2 V20.8H, V7.4S
	VST1.P [V20.B16], 16(R0)

// For wide values: R0 dst, R1 fours, R2 where the four begins, R3 two, R4 where its third value begins, R5 bytes of four

#define WIDE \
	MOVD dst+0(FP), R0; \
	MOVD fours+8(FP), R1; \
	MOVD src+16(FP), R2; \
	MOVD two+24(FP), R3; \
	MOVD by+32(FP), R6; \
	ADD  R2, R3, R4; \
	ADD  R3, R3, R5; \
	VLD1 (R6), [V0.B16]

#define FOUR \
	VLD1 (R2), [V6.B16]; \
	VLD1 (R4), [V7.B16]; \
	ADD  R5, R2, R2; \
	ADD  R5, R4, R4; \
	VTBL V0.B16, [V6.B16], V6.B16; \
	VTBL V0.B16, [V7.B16], V7.B16

// func unpackGroups16(dst *byte, groups int, src *byte, size int, half int, by *byte)
TEXT ·unpackGroups16(SB), NOSPLIT, $0-48
	LOAD

group:
	GROUP
	NARROW
	SUBS $1, R1, R1
	BNE  group
	RET

// func unpackZigzagGroups16(dst *byte, groups int, src *byte, size int, half int, by *byte)
TEXT ·unpackZigzagGroups16(SB), NOSPLIT, $0-48
	LOAD
	CONSTANTS

group:
	GROUP
	ZIGZAG
	NARROW
	SUBS $1, R1, R1
	BNE  group
	RET

// func unpackGroups32(dst *byte, groups int, src *byte, size int, half int, by *byte)
TEXT ·unpackGroups32(SB), NOSPLIT, $0-48
	LOAD

group:
	GROUP
	VST1.P [V6.B16, V7.B16], 32(R0)
	SUBS   $1, R1, R1
	BNE    group
	RET

// func unpackZigzagGroups32(dst *byte, groups int, src *byte, size int, half int, by *byte)
TEXT ·unpackZigzagGroups32(SB), NOSPLIT, $0-48
	LOAD
	CONSTANTS

group:
	GROUP
	ZIGZAG
	VST1.P [V6.B16, V7.B16], 32(R0)
	SUBS   $1, R1, R1
	BNE    group
	RET

// func unpackGroups64(dst *byte, groups int, src *byte, size int, half int, by *byte)
TEXT ·unpackGroups64(SB), NOSPLIT, $0-48
	LOAD

group:
	GROUP
	VUXTL  V6.S2, V20.D2
	VUXTL2 V6.S4, V21.D2
	VUXTL  V7.S2, V22.D2
	VUXTL2 V7.S4, V23.D2
	VST1.P [V20.B16, V21.B16, V22.B16, V23.B16], 64(R0)
	SUBS   $1, R1, R1
	BNE    group
	RET

// func unpackZigzagGroups64(dst *byte, groups int, src *byte, size int, half int, by *byte)
TEXT ·unpackZigzagGroups64(SB), NOSPLIT, $0-48
	LOAD
	CONSTANTS

group:
	GROUP
	ZIGZAG
	WORD   $0x0f20a4d4 // SXTL V20.2D, V6.2S
	WORD   $0x4f20a4d5 // SXTL2 V21.2D, V6.4S
	WORD   $0x0f20a4f6 // SXTL V22.2D, V7.2S
	WORD   $0x4f20a4f7 // SXTL2 V23.2D, V7.4S
	VST1.P [V20.B16, V21.B16, V22.B16, V23.B16], 64(R0)
	SUBS   $1, R1, R1
	BNE    group
	RET

// func unpackWide(dst *byte, fours int, src *byte, two int, by *byte)
TEXT ·unpackWide(SB), NOSPLIT, $0-40
	WIDE

four:
	FOUR
	VST1.P [V6.B16, V7.B16], 32(R0)
	SUBS   $1, R1, R1
	BNE    four
	RET

// func unpackZigzagWide(dst *byte, fours int, src *byte, two int, by *byte)
TEXT ·unpackZigzagWide(SB), NOSPLIT, $0-40
	WIDE
	VMOVI $1, V16.B16
	VUSHR $56, V16.D2, V16.D2
	VEOR  V17.B16, V17.B16, V17.B16

four:
	FOUR
	VAND   V16.B16, V6.B16, V18.B16
	VAND   V16.B16, V7.B16, V19.B16
	VSUB   V18.D2, V17.D2, V18.D2
	VSUB   V19.D2, V17.D2, V19.D2
	VUSHR  $1, V6.D2, V6.D2
	VUSHR  $1, V7.D2, V7.D2
	VEOR   V18.B16, V6.B16, V6.B16
	VEOR   V19.B16, V7.B16, V7.B16
	VST1.P [V6.B16, V7.B16], 32(R0)
	SUBS   $1, R1, R1
	BNE    four
	RET

//! What instructions take from the stack, by opcode, and which of it a trace has to know.

use revm::bytecode::opcode as op;

pub const MOST_OPERANDS: usize = 7;

/// What it costs depends on what it does to accounts and slots.
#[inline(always)]
pub const fn depends_on_state(opcode: u8) -> bool {
    matches!(
        opcode,
        op::SLOAD
            | op::SSTORE
            | op::BALANCE
            | op::EXTCODESIZE
            | op::EXTCODECOPY
            | op::EXTCODEHASH
            | op::CALL
            | op::CALLCODE
            | op::DELEGATECALL
            | op::STATICCALL
            | op::SELFDESTRUCT
    )
}

/// How many items an instruction takes from the stack, by opcode (src/evm/trace/stack-effect.ts).
pub const TAKEN: [u8; 256] = taken();
/// The same for those instructions whose operands one may have to know.
pub const OPERANDS: [u8; 256] = operands();

const fn taken() -> [u8; 256] {
    let mut taken = [0; 256];
    let mut opcode = 0;
    while opcode < 256 {
        taken[opcode] = match opcode as u8 {
            0x15 | 0x19 | 0x1e | 0x31 | 0x35 | 0x3b | 0x3f | 0x40 | 0x49 | 0x50 | 0x51 | 0x54 | 0x56 | 0x5c | 0xff => 1,
            0x01..=0x07 | 0x0a | 0x0b | 0x10..=0x14 | 0x16..=0x18 | 0x1a..=0x1d | 0x20 => 2,
            0x52 | 0x53 | 0x55 | 0x57 | 0x5d | 0xa0 | 0xf3 | 0xfd => 2,
            0x08 | 0x09 | 0x37 | 0x39 | 0x3e | 0x5e | 0xa1 | 0xf0 => 3,
            0x3c | 0xa2 | 0xf5 => 4,
            0xa3 => 5,
            0xa4 | 0xf4 | 0xfa => 6,
            0xf1 | 0xf2 => 7,
            _ => 0,
        };
        opcode += 1;
    }
    taken
}

const fn operands() -> [u8; 256] {
    let mut known = [0; 256];
    let all = taken();
    let mut opcode = 0;
    while opcode < 256 {
        let is_known = depends_on_state(opcode as u8)
            || matches!(
                opcode as u8,
                op::EXP
                    | op::KECCAK256
                    | op::CALLDATACOPY
                    | op::CODECOPY
                    | op::RETURNDATACOPY
                    | op::MLOAD
                    | op::MSTORE
                    | op::MSTORE8
                    | op::MCOPY
                    | op::LOG0..=op::LOG4 | op::CREATE | op::CREATE2 | op::RETURN | op::REVERT
            );
        if is_known {
            known[opcode] = all[opcode];
        }
        opcode += 1;
    }
    known
}

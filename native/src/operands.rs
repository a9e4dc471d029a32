//! Stack operands by opcode, and those that a trace has to know.

use revm::bytecode::opcode::{self as op, OpCode};

pub const MOST_OPERANDS: usize = 7;

/// Number of stack items that an instruction pops, by opcode (src/evm/trace/stack-effect.ts).
pub const TAKEN: [u8; 256] = taken(false);
/// The same for instructions whose operands may be needed.
pub const OPERANDS: [u8; 256] = taken(true);

/// Whether the cost depends on accounts and slots.
#[inline(always)]
pub const fn depends_on_state(opcode: u8) -> bool {
    matches!(opcode, op::SLOAD | op::SSTORE | op::BALANCE | op::EXTCODESIZE | op::EXTCODECOPY | op::EXTCODEHASH)
        || matches!(opcode, op::CALL | op::CALLCODE | op::DELEGATECALL | op::STATICCALL | op::SELFDESTRUCT)
}

/// Whether cost or effect depends on a length or a position in memory.
const fn works_on_data(opcode: u8) -> bool {
    matches!(opcode, op::CALLDATACOPY | op::CODECOPY | op::RETURNDATACOPY | op::MCOPY | op::KECCAK256 | op::EXP)
        || matches!(opcode, op::MLOAD | op::MSTORE | op::MSTORE8 | op::LOG0..=op::LOG4)
        || matches!(opcode, op::CREATE | op::CREATE2 | op::RETURN | op::REVERT)
}

const fn taken(is_known: bool) -> [u8; 256] {
    let mut taken = [0; 256];
    let mut opcode = 0;
    while opcode < 256 {
        let code = opcode as u8;
        if let Some(info) = OpCode::new(code)
            && (!is_known || depends_on_state(code) || works_on_data(code))
        {
            taken[opcode] = info.inputs();
        }
        opcode += 1;
    }
    taken
}

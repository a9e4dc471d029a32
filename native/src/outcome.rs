//! What became of a transaction, in the bytes of src/evm/outcome.ts.

use revm::{
    context_interface::result::ExecutionResult,
    interpreter::InstructionResult,
    primitives::{Address, Bytes, Log},
};

use crate::frames::Recorder;

const HAS_CONTRACT: u8 = 1;
const HAS_FRAMES: u8 = 2;
const ARE_FRAMES_CUT: u8 = 4;
const HAS_CHANGES: u8 = 8;

// Codes of src/evm/execution-error.ts.
pub const NONE: u8 = 0;
const REVERTED: u8 = 1;
pub const OUT_OF_GAS: u8 = 2;
const STACK_UNDERFLOW: u8 = 3;
const STACK_OVERFLOW: u8 = 4;
const INVALID_JUMP: u8 = 5;
const INVALID_OPCODE: u8 = 6;
const STATIC_VIOLATION: u8 = 7;
const INSUFFICIENT_BALANCE: u8 = 8;
const CALL_TOO_DEEP: u8 = 9;
const CREATE_COLLISION: u8 = 10;
const CODE_TOO_LARGE: u8 = 11;
const INVALID_CODE: u8 = 12;
const INIT_CODE_TOO_LARGE: u8 = 13;
pub const NONCE_OVERFLOW: u8 = 14;
pub const CODE_NOT_PAID: u8 = 15;
const PRECOMPILE_FAILED: u8 = 16;
const OTHER: u8 = 18;

pub fn error_code(result: InstructionResult) -> u8 {
    use InstructionResult as R;
    match result {
        R::Stop | R::Return | R::SelfDestruct => NONE,
        R::Revert => REVERTED,
        R::OutOfGas | R::MemoryOOG | R::MemoryLimitOOG | R::PrecompileOOG => OUT_OF_GAS,
        R::InvalidOperandOOG | R::ReentrancySentryOOG => OUT_OF_GAS,
        R::StackUnderflow => STACK_UNDERFLOW,
        R::StackOverflow => STACK_OVERFLOW,
        R::InvalidJump => INVALID_JUMP,
        R::OpcodeNotFound | R::InvalidFEOpcode | R::NotActivated => INVALID_OPCODE,
        R::CallNotAllowedInsideStatic | R::StateChangeDuringStaticCall => STATIC_VIOLATION,
        R::OutOfFunds => INSUFFICIENT_BALANCE,
        R::CallTooDeep => CALL_TOO_DEEP,
        R::CreateCollision => CREATE_COLLISION,
        R::CreateContractSizeLimit => CODE_TOO_LARGE,
        R::CreateContractStartingWithEF => INVALID_CODE,
        R::CreateInitCodeSizeLimit => INIT_CODE_TOO_LARGE,
        R::NonceOverflow => NONCE_OVERFLOW,
        R::PrecompileError => PRECOMPILE_FAILED,
        // A read beyond the return data, which the other engine has no other word for.
        R::OutOfOffset => OUT_OF_GAS,
        _ => OTHER,
    }
}

/// A transaction or system call that ended.
pub struct Executed<'a> {
    /// How the outermost call ended.
    pub error: u8,
    pub result: &'a ExecutionResult,
    pub gas_used: u64,
    pub gas_refunded: u64,
    pub blob_gas_used: u64,
    pub recorder: Option<&'a Recorder>,
    pub changes: Option<&'a [u8]>,
}

impl Executed<'_> {
    pub fn write(&self, out: &mut Vec<u8>) {
        let contract = self.result.created_address();
        let (recorder, changes) = (self.recorder, self.changes);
        out.push(self.error);
        out.push(self.flags(contract));
        out.extend_from_slice(&self.gas_used.to_be_bytes());
        out.extend_from_slice(&self.gas_refunded.to_be_bytes());
        out.extend_from_slice(&self.blob_gas_used.to_be_bytes());
        if let Some(contract) = contract {
            out.extend_from_slice(contract.as_slice());
        }
        write_sized(out, self.result.output().unwrap_or(&Bytes::new()));
        write_logs(out, if self.result.is_success() { self.result.logs() } else { &[] });
        if let Some(recorder) = recorder {
            recorder.write(out);
        }
        if let Some(changes) = changes {
            write_sized(out, changes);
        }
    }

    fn flags(&self, contract: Option<Address>) -> u8 {
        let mut flags = 0;
        if contract.is_some() {
            flags |= HAS_CONTRACT;
        }
        if let Some(recorder) = self.recorder {
            flags |= if recorder.is_cut { HAS_FRAMES | ARE_FRAMES_CUT } else { HAS_FRAMES };
        }
        if self.changes.is_some() {
            flags |= HAS_CHANGES;
        }
        flags
    }
}

fn write_logs(out: &mut Vec<u8>, logs: &[Log]) {
    out.extend_from_slice(&(logs.len() as u32).to_be_bytes());
    for log in logs {
        out.extend_from_slice(log.address.as_slice());
        out.push(log.topics().len() as u8);
        for topic in log.topics() {
            out.extend_from_slice(topic.as_slice());
        }
        write_sized(out, &log.data.data);
    }
}

/// With their length before them, in 4 bytes.
pub fn write_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    out.extend_from_slice(bytes);
}

//! The outcome of a transaction in the encoding of src/evm/outcome.ts.

use revm::{
    context_interface::result::ExecutionResult,
    interpreter::InstructionResult,
    primitives::{Bytes, Log},
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
        // A read beyond the return data, for which the other engine has no separate error.
        R::OutOfOffset => OUT_OF_GAS,
        _ => OTHER,
    }
}

/// Gas used by a transaction or system call.
#[derive(Clone, Copy)]
pub struct GasUse {
    pub used: u64,
    pub refunded: u64,
    pub blobs: u64,
}

/// Encodes a finished transaction or system call; `error` belongs to its outermost call.
pub fn write_outcome(
    out: &mut Vec<u8>,
    error: u8,
    result: &ExecutionResult,
    gas: GasUse,
    recorder: Option<&Recorder>,
    changes: Option<&[u8]>,
) {
    let contract = result.created_address();
    let flags = flag(contract.is_some(), HAS_CONTRACT)
        | flag(recorder.is_some(), HAS_FRAMES)
        | flag(recorder.is_some_and(|recorder| recorder.is_cut), ARE_FRAMES_CUT)
        | flag(changes.is_some(), HAS_CHANGES);
    put(out, &[&[error, flags], &gas.used.to_be_bytes(), &gas.refunded.to_be_bytes(), &gas.blobs.to_be_bytes()]);
    put(out, &[contract.as_ref().map_or(&[], |contract| contract.as_slice())]);
    put_sized(out, result.output().unwrap_or(&Bytes::new()));
    let logs = if result.is_success() { result.logs() } else { &[] };
    put(out, &[&(logs.len() as u32).to_be_bytes()]);
    for log in logs {
        put_log(out, log);
    }
    if let Some(recorder) = recorder {
        recorder.write(out);
    }
    if let Some(changes) = changes {
        put_sized(out, changes);
    }
}

pub fn put_log(out: &mut Vec<u8>, log: &Log) {
    put(out, &[log.address.as_slice(), &[log.topics().len() as u8]]);
    for topic in log.topics() {
        put(out, &[topic.as_slice()]);
    }
    put_sized(out, &log.data.data);
}

/// Writes bytes after their length in 4 bytes.
pub fn put_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, &[&(bytes.len() as u32).to_be_bytes(), bytes]);
}

#[inline(always)]
pub fn put(out: &mut Vec<u8>, parts: &[&[u8]]) {
    for part in parts {
        out.extend_from_slice(part);
    }
}

pub const fn flag(is_set: bool, bit: u8) -> u8 {
    if is_set { bit } else { 0 }
}

//! The instructions of revm with Cairn's changes, and the precise reasons of failures.

use revm::{
    bytecode::opcode as op,
    context_interface::ContextError,
    handler::instructions::EthInstructions,
    interpreter::{
        Instruction, InstructionContext, InstructionExecResult, InstructionResult, Interpreter,
        instructions::{arithmetic, contract, control, gas_table_spec, host, memory, system},
        interpreter::EthInterpreter,
        interpreter_types::{Jumps, LegacyBytecode},
    },
    primitives::{Address, U256, constants::STACK_LIMIT, hardfork::SpecId},
};

use crate::{
    evm::{CairnContext, Destroyed},
    host::Stop,
};

type Code<'a> = InstructionContext<'a, CairnContext, EthInterpreter>;

/// Instructions added after Frontier. revm charges the gas of an instruction before it checks the fork.
const SINCE: [(SpecId, &[u8]); 8] = [
    (SpecId::HOMESTEAD, &[op::DELEGATECALL]),
    (SpecId::BYZANTIUM, &[op::REVERT, op::STATICCALL, op::RETURNDATASIZE, op::RETURNDATACOPY]),
    (SpecId::PETERSBURG, &[op::SHL, op::SHR, op::SAR, op::CREATE2, op::EXTCODEHASH]),
    (SpecId::ISTANBUL, &[op::CHAINID, op::SELFBALANCE]),
    (SpecId::LONDON, &[op::BASEFEE]),
    (SpecId::SHANGHAI, &[op::PUSH0]),
    (SpecId::CANCUN, &[op::TLOAD, op::TSTORE, op::MCOPY, op::BLOBHASH, op::BLOBBASEFEE]),
    (SpecId::OSAKA, &[op::CLZ]),
];
/// Known to revm, but to no fork that Cairn supports.
const FUTURE: [u8; 4] = [op::DUPN, op::SWAPN, op::EXCHANGE, op::SLOTNUM];

/// The static gas of CALL.
pub fn call_gas(spec: SpecId) -> u64 {
    u64::from(gas_table_spec(spec)[op::CALL as usize])
}

/// Polls for an end of the work, in addition to calls and lookups: every loop jumps, and code between two jumps is
/// short except for instructions on memory of any length.
macro_rules! polled {
    ($table:ident, $($opcode:ident => $instruction:expr),+) => {
        $($table[op::$opcode as usize] = Instruction::new(|code| {
            poll(code.interpreter.gas.remaining(), code.host)?;
            $instruction(code)
        });)+
    };
}

pub fn instructions(spec: SpecId) -> EthInstructions<EthInterpreter, CairnContext> {
    let mut table = revm::interpreter::instruction_table::<EthInterpreter, CairnContext>();
    let mut gas = gas_table_spec(spec);
    polled!(table, JUMP => control::jump, JUMPI => control::jumpi);
    polled!(table, EXP => arithmetic::exp, KECCAK256 => system::keccak256, MCOPY => memory::mcopy);
    polled!(table, CODECOPY => system::codecopy, CALLDATACOPY => system::calldatacopy);
    polled!(table, RETURNDATACOPY => system::returndatacopy, EXTCODECOPY => host::extcodecopy);
    polled!(table, LOG0 => host::log::<0, _>, LOG1 => host::log::<1, _>, LOG2 => host::log::<2, _>);
    polled!(table, LOG3 => host::log::<3, _>, LOG4 => host::log::<4, _>);
    table[op::SELFBALANCE as usize] = Instruction::new(selfbalance);
    table[op::SELFDESTRUCT as usize] = Instruction::new(selfdestruct);
    table[op::CALL as usize] = Instruction::new(call);
    gas[op::CALL as usize] = 0;
    table[op::GASPRICE as usize] = Instruction::new(|code| push(code.interpreter, code.host.chain.gas_price));
    table[op::CHAINID as usize] = Instruction::new(|code| push(code.interpreter, code.host.chain.chain_id));
    table[op::BASEFEE as usize] = Instruction::new(|code| push(code.interpreter, code.host.chain.base_fee));
    table[op::BLOBBASEFEE as usize] = Instruction::new(|code| push(code.interpreter, code.host.chain.blob_base_fee));
    let later = SINCE.iter().filter(|(since, _)| !spec.is_enabled_in(*since)).flat_map(|(_, opcodes)| *opcodes);
    for opcode in later.chain(&FUTURE) {
        table[*opcode as usize] = Instruction::unknown();
        gas[*opcode as usize] = 0;
    }
    EthInstructions::new(table, gas, spec)
}

/// The precise reason why a frame ended. Some reasons hide others, and all engines must report the same.
pub fn precise(interpreter: &Interpreter<EthInterpreter>, ended: InstructionResult) -> InstructionResult {
    let code = interpreter.bytecode.bytecode_slice();
    let opcode = interpreter.bytecode.pc().checked_sub(1).and_then(|at| code.get(at)).copied().unwrap_or_default();
    match ended {
        // revm has one error for both if an instruction copies within the stack.
        InstructionResult::StackOverflow if interpreter.stack.len() < STACK_LIMIT => InstructionResult::StackUnderflow,
        InstructionResult::OutOfGas if interpreter.runtime_flag.is_static => {
            // The static gas of an instruction is charged before any other check.
            let is_change =
                matches!(opcode, op::SSTORE | op::LOG0..=op::LOG4 | op::CREATE | op::CREATE2 | op::SELFDESTRUCT);
            if is_change { InstructionResult::StateChangeDuringStaticCall } else { ended }
        }
        result => result,
    }
}

fn poll(gas_left: u64, context: &mut CairnContext) -> InstructionExecResult {
    let stop = if gas_left < context.chain.work.gas_floor {
        Stop::Exhausted
    } else if context.chain.cancel.is_set() {
        Stop::Cancelled
    } else {
        return Ok(());
    };
    context.error = Err(ContextError::Db(stop));
    Err(InstructionResult::FatalExternalError)
}

/// A forbidden value is reported before gas is charged, as in the other engine.
fn call(code: Code<'_>) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = code;
    if interpreter.runtime_flag.is_static && interpreter.stack.peek(2).is_ok_and(|value| !value.is_zero()) {
        return Err(InstructionResult::CallNotAllowedInsideStatic);
    }
    if interpreter.gas.record_cost_unsafe(host.chain.call_gas) {
        return Err(InstructionResult::OutOfGas);
    }
    contract::call::<{ op::CALL }, _, _>(InstructionContext { interpreter, host })
}

/// revm warms the account, which is cold in a system call. The account of running code is loaded.
fn selfbalance(code: Code<'_>) -> InstructionExecResult {
    let balance = code.host.journaled_state.account(code.interpreter.input.target_address).info.balance;
    push(code.interpreter, balance)
}

fn selfdestruct(code: Code<'_>) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = code;
    let from = interpreter.input.target_address;
    let to = interpreter.stack.peek(0).map(|word| Address::from_word(word.into())).unwrap_or_default();
    let balance = host.journaled_state.account(from).info.balance;
    let result = host::selfdestruct(InstructionContext { interpreter, host });
    if result == Err(InstructionResult::SelfDestruct) {
        let destroyed = Destroyed { from, to, balance };
        // If instructions are watched, steps.rs holds the tracer and reports it after the step.
        match &mut host.chain.tracer {
            Some(tracer) => tracer.selfdestruct(&destroyed),
            None => host.chain.destroyed = Some(destroyed),
        }
        if let Some(recorder) = &mut host.chain.recorder {
            recorder.selfdestruct(from, to, balance);
        }
    }
    result
}

fn push(interpreter: &mut Interpreter<EthInterpreter>, value: U256) -> InstructionExecResult {
    if interpreter.stack.push(value) { Ok(()) } else { Err(InstructionResult::StackOverflow) }
}

//! Runs instructions one at a time with a trace event for each (docs/internals/wire/trace-events.md). Untraced code
//! does not use this file.

use revm::{
    bytecode::opcode as op,
    context::{JournalTr, journaled_state::JournalCheckpoint},
    context_interface::ContextError,
    handler::{EthFrame, FrameResult, instructions::EthInstructions},
    interpreter::{
        FrameInput, InstructionResult, InterpreterAction,
        interpreter::EthInterpreter,
        interpreter_types::{Jumps, LoopControl},
    },
    primitives::{Address, U256},
};

use crate::{
    evm::CairnContext,
    host::Stop,
    operands::{MOST_OPERANDS, OPERANDS, TAKEN, depends_on_state},
    outcome::{self, flag, put, put_log, put_sized},
    trace::{LOGS, MEMORY, STACK, STEPS, STORAGE, TOUCHED, Tracer},
};

const STEP_EVENT: u8 = 4;
const RESUME_EVENT: u8 = 5;
const LOG_EVENT: u8 = 8;

const FAULT: u8 = 1;
const PUSH: u8 = 2;
const HAS_MEMORY: u8 = 4;
const HAS_STORAGE: u8 = 8;
const HAS_REFUND: u8 = 16;
const OPEN: u8 = 32;
/// Offset of the flags in a step event.
const FLAGS_AT: usize = 1;

const WORD_BYTES: usize = 32;
/// Kind, flags, op, pc, gas and cost.
const HEAD_BYTES: usize = 3 + 4 + 8 + 8;

type Interpreter = revm::interpreter::Interpreter<EthInterpreter>;
pub type Instructions = EthInstructions<EthInterpreter, CairnContext>;

/// An instruction before it runs.
#[derive(Default)]
pub struct Before {
    pub op: u8,
    pc: u32,
    pub gas: u64,
    pub stack_len: usize,
    pub memory_len: usize,
    /// The topmost first; only operands that the instruction pops, and only if they may be needed.
    pub operands: [U256; MOST_OPERANDS],
    /// Reverts its effect on the state if the cost depends on it.
    pub checkpoint: Option<JournalCheckpoint>,
}

/// Like `Interpreter::run_plain`, with trace events.
pub fn run_traced(frame: &mut EthFrame, instructions: &Instructions, context: &mut CairnContext) -> InterpreterAction {
    let Some(mut tracer) = context.chain.tracer.take() else {
        return frame.interpreter.run_plain(instructions.instruction_table(), instructions.gas_table(), context);
    };
    let (table, gas_table) = (instructions.instruction_table(), instructions.gas_table());
    let has_steps = tracer.has(STEPS);
    let mut before = Before::default();
    let ended = loop {
        let interpreter = &mut frame.interpreter;
        before.take(interpreter, context, has_steps);
        let result = interpreter.step(table, gas_table, context);
        if before.checkpoint.is_some() && !is_out_of_gas(result) {
            context.journaled_state.checkpoint_commit();
        }
        if let Err(stop) = after_step(&mut tracer, frame, instructions, context, &before, result) {
            context.error = Err(ContextError::Db(stop));
            break InstructionResult::FatalExternalError;
        }
        if let Err(ended) = result {
            break ended;
        }
    };
    context.chain.tracer = Some(tracer);
    let interpreter = &mut frame.interpreter;
    if ended == InstructionResult::FatalExternalError {
        // A call may have been about to be entered.
        forget_action(interpreter);
    }
    if interpreter.bytecode.action().is_none() {
        interpreter.halt(ended);
    }
    interpreter.take_next_action()
}

pub fn forget_action(interpreter: &mut Interpreter) {
    interpreter.bytecode.action().take();
    interpreter.bytecode.reset_action();
}

fn is_out_of_gas(result: Result<(), InstructionResult>) -> bool {
    matches!(result, Err(error) if outcome::error_code(error) == outcome::OUT_OF_GAS)
}

fn after_step(
    tracer: &mut Tracer,
    frame: &mut EthFrame,
    instructions: &Instructions,
    context: &mut CairnContext,
    before: &Before,
    result: Result<(), InstructionResult>,
) -> Result<(), Stop> {
    let destroyed = if before.op == op::SELFDESTRUCT { context.chain.destroyed.take() } else { None };
    let ended = result.err();
    match ended {
        Some(InstructionResult::FatalExternalError) => return Ok(()),
        Some(error) if !error.is_ok_or_revert() && error != InstructionResult::Suspend => {
            if tracer.has(STEPS) {
                let cost = before.cost_of_failure(frame, instructions, context, error);
                tracer.start(&before.head(FAULT, cost));
            }
        }
        Some(InstructionResult::Suspend) => {
            if tracer.has(STEPS) {
                before.write_open(tracer, &mut frame.interpreter, context.cfg.gas_params.call_stipend());
            }
            tracer.suspend(frame.interpreter.gas.refunded());
        }
        _ => {
            if tracer.has(TOUCHED) {
                before.touch(tracer, frame.interpreter.input.target_address);
            }
            if tracer.has(STEPS) {
                before.write_whole(tracer, &frame.interpreter);
            }
            if tracer.has(LOGS) && matches!(before.op, op::LOG0..=op::LOG4) {
                tracer.flush_full(&mut context.journaled_state.database)?;
                if let Some(log) = context.journaled_state.logs().last() {
                    put_log(tracer.start(&[LOG_EVENT]), log);
                }
            }
        }
    }
    if let Some(destroyed) = destroyed {
        tracer.flush_full(&mut context.journaled_state.database)?;
        tracer.selfdestruct(&destroyed);
    }
    tracer.flush_full(&mut context.journaled_state.database)
}

/// The memory range of the caller that receives the result of a call.
pub fn written_by(result: &FrameResult) -> (usize, usize) {
    match result {
        FrameResult::Call(outcome) if outcome.instruction_result().is_ok_or_revert() => {
            (outcome.memory_start(), outcome.memory_length().min(outcome.result.output.len()))
        }
        _ => (0, 0),
    }
}

/// Called after a call or creation has ended, in the frame that made it.
pub fn write_resume(tracer: &mut Tracer, interpreter: &Interpreter, (from, length): (usize, usize)) {
    tracer.resume();
    if !tracer.has(STEPS) {
        return;
    }
    let has_stack = tracer.has(STACK);
    let has_memory = tracer.has(MEMORY) && length > 0;
    let out = tracer.start(&[RESUME_EVENT, flag(has_stack, PUSH) | flag(has_memory, HAS_MEMORY)]);
    put(out, &[&interpreter.gas.remaining().to_be_bytes()]);
    if has_stack {
        write_top(out, interpreter);
    }
    if has_memory {
        write_memory(out, interpreter, from, length);
    }
    write_refund(tracer, interpreter);
}

/// Writes the refund counter if it changed.
fn write_refund(tracer: &mut Tracer, interpreter: &Interpreter) {
    let refund = tracer.refund(interpreter.gas.refunded());
    if refund == tracer.told_refund {
        return;
    }
    tracer.told_refund = refund;
    tracer.add_flag(FLAGS_AT, HAS_REFUND);
    put(tracer.event(), &[&(refund as u64).to_be_bytes()]);
}

fn write_top(out: &mut Vec<u8>, interpreter: &Interpreter) {
    let word = interpreter.stack.data().last().copied().unwrap_or_default();
    let length = word.byte_len();
    put(out, &[&[length as u8], &word.to_be_bytes::<WORD_BYTES>()[WORD_BYTES - length..]]);
}

fn write_memory(out: &mut Vec<u8>, interpreter: &Interpreter, from: usize, length: usize) {
    let from = if length == 0 { 0 } else { from };
    put(out, &[&(interpreter.memory.len() as u32).to_be_bytes(), &(from as u32).to_be_bytes()]);
    put_sized(out, &interpreter.memory.slice_len(from, length));
}

impl Before {
    /// Takes the next instruction. Runs for every instruction, so it allocates nothing.
    #[inline(always)]
    fn take(&mut self, interpreter: &Interpreter, context: &mut CairnContext, has_steps: bool) {
        self.op = interpreter.bytecode.opcode();
        self.pc = interpreter.bytecode.pc() as u32;
        self.gas = interpreter.gas.remaining();
        let stack = interpreter.stack.data();
        self.stack_len = stack.len();
        self.memory_len = interpreter.memory.len();
        let taken = usize::from(OPERANDS[usize::from(self.op)]);
        for (place, operand) in self.operands[..taken].iter_mut().enumerate() {
            *operand = if place < stack.len() { stack[stack.len() - 1 - place] } else { U256::ZERO };
        }
        self.checkpoint =
            if has_steps && depends_on_state(self.op) { Some(context.journaled_state.checkpoint()) } else { None };
    }

    /// The fixed part of an event.
    #[inline(always)]
    fn head(&self, flags: u8, cost: u64) -> [u8; HEAD_BYTES] {
        let mut head = [0; HEAD_BYTES];
        head[..3].copy_from_slice(&[STEP_EVENT, flags, self.op]);
        head[3..7].copy_from_slice(&self.pc.to_be_bytes());
        head[7..15].copy_from_slice(&self.gas.to_be_bytes());
        head[15..].copy_from_slice(&cost.to_be_bytes());
        head
    }

    fn write_whole(&self, tracer: &mut Tracer, interpreter: &Interpreter) {
        let is_storage = tracer.has(STORAGE) && matches!(self.op, op::SLOAD | op::SSTORE);
        let has_push = tracer.has(STACK)
            && !matches!(self.op, op::DUP1..=op::SWAP16)
            && interpreter.stack.len() > self.stack_len - usize::from(TAKEN[usize::from(self.op)]);
        let (from, length) = if tracer.has(MEMORY) { self.written() } else { (0, 0) };
        let has_memory = tracer.has(MEMORY) && (length > 0 || interpreter.memory.len() != self.memory_len);
        let flags = flag(is_storage, HAS_STORAGE) | flag(has_push, PUSH) | flag(has_memory, HAS_MEMORY);
        let cost = self.gas - interpreter.gas.remaining();
        let out = tracer.start(&self.head(flags, cost));
        if is_storage {
            let read = interpreter.stack.data().last().copied().unwrap_or_default();
            let value = if self.op == op::SSTORE { self.operands[1] } else { read };
            put(out, &[&self.operands[0].to_be_bytes::<WORD_BYTES>(), &value.to_be_bytes::<WORD_BYTES>()]);
        }
        if has_push {
            write_top(out, interpreter);
        }
        if has_memory {
            write_memory(out, interpreter, from, length);
        }
        write_refund(tracer, interpreter);
    }

    /// Writes a call or creation that is about to enter a frame.
    fn write_open(&self, tracer: &mut Tracer, interpreter: &mut Interpreter, stipend: u64) {
        let handed = match interpreter.bytecode.action() {
            Some(InterpreterAction::NewFrame(FrameInput::Call(call))) => {
                let sends = matches!(self.op, op::CALL | op::CALLCODE) && !self.operands[2].is_zero();
                call.gas_limit - if sends { stipend } else { 0 }
            }
            Some(InterpreterAction::NewFrame(FrameInput::Create(create))) => create.gas_limit(),
            _ => 0,
        };
        let has_memory = tracer.has(MEMORY) && interpreter.memory.len() != self.memory_len;
        let cost = self.gas - interpreter.gas.remaining() - handed;
        let out = tracer.start(&self.head(OPEN | flag(has_memory, HAS_MEMORY), cost));
        if has_memory {
            write_memory(out, interpreter, 0, 0);
        }
    }

    /// The memory range that the instruction wrote. It did not fail, so the numbers are small unless the length is 0.
    fn written(&self) -> (usize, usize) {
        let number = |place: usize| usize::try_from(self.operands[place]).unwrap_or_default();
        match self.op {
            op::MSTORE => (number(0), WORD_BYTES),
            op::MSTORE8 => (number(0), 1),
            op::CALLDATACOPY | op::CODECOPY | op::RETURNDATACOPY | op::MCOPY => (number(0), number(2)),
            op::EXTCODECOPY => (number(1), number(3)),
            _ => (0, 0),
        }
    }

    fn touch(&self, tracer: &mut Tracer, address: Address) {
        match self.op {
            op::SLOAD | op::SSTORE => tracer.touch_slot(address, self.operands[0]),
            op::BALANCE | op::EXTCODESIZE | op::EXTCODECOPY | op::EXTCODEHASH => {
                tracer.touch(Address::from_word(self.operands[0].into()));
            }
            _ => {}
        }
    }
}

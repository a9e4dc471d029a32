//! The full cost of an instruction that ran out of gas: revm stops at the first part that cannot be paid.

use revm::{
    bytecode::opcode as op,
    context::JournalTr,
    context_interface::cfg::GasParams,
    handler::EthFrame,
    interpreter::{Gas, InstructionContext, InstructionResult},
    primitives::{U256, hardfork::SpecId},
};

use crate::{
    evm::CairnContext,
    instructions::precise,
    operands::TAKEN,
    outcome,
    steps::{Before, Instructions, forget_action},
};

const PLENTY: u64 = u64::MAX / 2;
const WORD_BYTES: usize = 32;

impl Before {
    /// The full cost of the instruction if it ran out of gas, else 0.
    pub fn cost_of_failure(
        &self,
        frame: &mut EthFrame,
        instructions: &Instructions,
        context: &mut CairnContext,
        error: InstructionResult,
    ) -> u64 {
        let is_out_of_gas = outcome::error_code(precise(&frame.interpreter, error)) == outcome::OUT_OF_GAS;
        if let Some(checkpoint) = self.checkpoint.filter(|_| outcome::error_code(error) == outcome::OUT_OF_GAS) {
            context.journaled_state.checkpoint_revert(checkpoint);
        }
        let is_no_matter_of_cost = match self.op {
            op::SSTORE => error == InstructionResult::ReentrancySentryOOG,
            op::RETURNDATACOPY => {
                let end = self.operands[1].checked_add(self.operands[2]);
                end.is_none_or(|end| end > U256::from(frame.interpreter.return_data.0.len()))
            }
            _ => false,
        };
        if !is_out_of_gas || is_no_matter_of_cost {
            return 0;
        }
        let base = match self.checkpoint {
            Some(_) => self.cost_with_plenty(frame, instructions, context),
            None => u64::from(instructions.gas_table()[usize::from(self.op)]),
        };
        let data = self.cost_of_data(&context.cfg.gas_params, context.cfg.spec);
        base.saturating_add(data).saturating_add(u64::try_from(self.cost_of_memory()).unwrap_or(u64::MAX))
    }

    /// Runs the instruction again on the state before it, without its memory and with plenty of gas.
    fn cost_with_plenty(&self, frame: &mut EthFrame, instructions: &Instructions, context: &mut CairnContext) -> u64 {
        let interpreter = &mut frame.interpreter;
        let recorder = context.chain.recorder.take();
        let failed = interpreter.gas;
        let taken = usize::from(TAKEN[usize::from(self.op)]);
        let mut operands = self.operands;
        match self.op {
            op::EXTCODECOPY => operands[3] = U256::ZERO,
            op::CALL | op::CALLCODE => operands[3..7].fill(U256::ZERO),
            op::DELEGATECALL | op::STATICCALL => operands[2..6].fill(U256::ZERO),
            _ => {}
        }
        if matches!(self.op, op::CALL | op::CALLCODE | op::DELEGATECALL | op::STATICCALL) {
            operands[0] = U256::ZERO;
        }
        interpreter.stack.data_mut().truncate(self.stack_len.saturating_sub(taken));
        for operand in operands[..taken].iter().rev() {
            let _ = interpreter.stack.push(*operand);
        }
        let fixed = u64::from(instructions.gas_table()[usize::from(self.op)]);
        interpreter.gas = Gas::new(PLENTY);
        let instruction = instructions.instruction_table()[usize::from(self.op)];
        // The result is irrelevant: the frame has failed.
        let _ = instruction.execute(InstructionContext { interpreter, host: context });
        let cost = fixed + PLENTY - interpreter.gas.remaining();
        interpreter.gas = failed;
        forget_action(interpreter);
        context.chain.destroyed = None;
        context.chain.recorder = recorder;
        cost
    }

    /// The cost by data length. If the length exceeds 64 bits, its memory costs as much.
    fn cost_of_data(&self, gas: &GasParams, spec: SpecId) -> u64 {
        let length = |place: usize| usize::try_from(self.operands[place]).unwrap_or(usize::MAX);
        let init = || if spec.is_enabled_in(SpecId::SHANGHAI) { gas.initcode_cost(length(2)) } else { 0 };
        match self.op {
            op::EXP => gas.exp_cost(self.operands[1]),
            op::KECCAK256 => gas.keccak256_cost(length(1)),
            op::CALLDATACOPY | op::CODECOPY | op::RETURNDATACOPY => gas.copy_cost(length(2)),
            op::MCOPY => gas.mcopy_cost(length(2)),
            op::EXTCODECOPY => gas.extcodecopy(length(3)),
            op::LOG0..=op::LOG4 => gas.log_cost(self.op - op::LOG0, length(1) as u64),
            op::CREATE => gas.create_cost().saturating_add(init()),
            op::CREATE2 => gas.create2_cost(length(2)).saturating_add(init()),
            _ => 0,
        }
    }

    fn cost_of_memory(&self) -> U256 {
        let o = &self.operands;
        let word = U256::from(WORD_BYTES);
        let none = (U256::ZERO, U256::ZERO);
        let ranges = match self.op {
            op::KECCAK256 | op::LOG0..=op::LOG4 | op::RETURN | op::REVERT => [(o[0], o[1]), none],
            op::MLOAD | op::MSTORE => [(o[0], word), none],
            op::MSTORE8 => [(o[0], U256::from(1)), none],
            op::CALLDATACOPY | op::CODECOPY | op::RETURNDATACOPY => [(o[0], o[2]), none],
            op::EXTCODECOPY => [(o[1], o[3]), none],
            op::MCOPY => [(o[0], o[2]), (o[1], o[2])],
            op::CREATE | op::CREATE2 => [(o[1], o[2]), none],
            op::CALL | op::CALLCODE => [(o[3], o[4]), (o[5], o[6])],
            op::DELEGATECALL | op::STATICCALL => [(o[2], o[3]), (o[4], o[5])],
            _ => return U256::ZERO,
        };
        let before = words(U256::from(self.memory_len));
        let end = |(from, length): (U256, U256)| if length.is_zero() { length } else { from.saturating_add(length) };
        let after = ranges.into_iter().map(|range| words(end(range))).fold(before, U256::max);
        cost_of_words(after) - cost_of_words(before)
    }
}

fn words(bytes: U256) -> U256 {
    bytes.saturating_add(U256::from(WORD_BYTES - 1)) / U256::from(WORD_BYTES)
}

fn cost_of_words(words: U256) -> U256 {
    let square = words.saturating_mul(words) / U256::from(512);
    words.saturating_mul(U256::from(3)).saturating_add(square)
}

//! revm with Cairn's changes: prices and chain ids of 256 bits, a cancel cell, a call recorder, and EIP-7610.
//! session.rs decides whether a transaction may run, so revm validates nothing.

use revm::{
    Context, Journal,
    context::{
        BlockEnv, CfgEnv, ContextTr, Evm, FrameStack, JournalTr, LocalContext, TxEnv,
        journaled_state::account::JournaledAccountTr,
    },
    context_interface::{
        ContextError, CreateScheme, Transaction,
        result::{EVMError, HaltReason},
    },
    handler::{
        EthFrame, EvmTr, FrameInitOrResult, FrameResult, Handler, ItemOrResult, PrecompileProvider,
        evm::{ContextDbError, FrameInitResult, FrameTr},
        instructions::EthInstructions,
    },
    interpreter::{
        CallScheme, CreateInputs, CreateOutcome, FrameInput, Gas, InitialAndFloorGas, InstructionResult,
        InterpreterAction, InterpreterResult, interpreter::EthInterpreter, interpreter_action::FrameInit,
    },
    primitives::{Address, Bytes, U256, address, constants::CALL_STACK_LIMIT, hardfork::SpecId},
};

use crate::{
    decode::Settings,
    frames::{self, Frame, Recorder},
    host::{CancelCell, Stop},
    instructions::{call_gas, instructions, precise},
    outcome,
    precompiles::CairnPrecompiles,
    state::SessionState,
    steps::{run_traced, write_resume, written_by},
    trace::Tracer,
};

/// Memory limit of all open calls together. The JavaScript engine has the same limit for each call; a genesis file
/// may give a block gas for any amount.
const MAX_MEMORY_BYTES: u64 = 1 << 31;
/// The same limit for a brief session: no instruction works on more.
const BRIEF_MEMORY_BYTES: u64 = 1 << 16;
/// Maximum gas of a transaction in a brief session beyond its intrinsic gas: about a millisecond at worst.
const BRIEF_GAS: u64 = 100_000;
const MODEXP: Address = address!("0000000000000000000000000000000000000005");

pub type CairnContext = Context<BlockEnv, TxEnv, CfgEnv, SessionState, Journal<SessionState>, Extra>;
type Inner = Evm<CairnContext, (), EthInstructions<EthInterpreter, CairnContext>, CairnPrecompiles, EthFrame>;

/// Values of a transaction that revm does not store.
#[derive(Debug, Default)]
pub struct Extra {
    pub cancel: CancelCell,
    pub work: Work,
    pub recorder: Option<Recorder>,
    /// Set while a transaction is traced; steps.rs holds it while code runs.
    pub tracer: Option<Box<Tracer>>,
    /// The last SELFDESTRUCT.
    pub destroyed: Option<Destroyed>,
    pub chain_id: U256,
    pub base_fee: U256,
    pub blob_base_fee: U256,
    /// Price of gas in this transaction.
    pub gas_price: U256,
    /// The sender's balance after paying for all gas and blobs.
    pub balance_left: U256,
    /// The static gas of CALL.
    pub call_gas: u64,
    /// True for a system call, for which nothing is warm.
    pub is_system: bool,
    /// The error of the outermost call.
    pub error: u8,
}

/// The remaining work of a transaction, practically unlimited unless the session is brief.
#[derive(Debug, Default)]
pub struct Work {
    pub is_brief: bool,
    gas_left: u64,
    /// The running frame must have at least this much gas left.
    pub gas_floor: u64,
}

impl Work {
    pub const fn begin(&mut self) {
        self.gas_left = if self.is_brief { BRIEF_GAS } else { u64::MAX };
    }

    const fn spend(&mut self, gas: u64) {
        self.gas_left = self.gas_left.saturating_sub(gas);
    }
}

#[derive(Debug)]
pub struct Destroyed {
    pub from: Address,
    pub to: Address,
    pub balance: U256,
}

pub struct CairnEvm {
    inner: Inner,
}

impl CairnEvm {
    pub fn new(settings: &Settings) -> Self {
        let &Settings { spec, chain_id, base_fee, blob_base_fee, .. } = settings;
        let recorder = settings.call_tree_max_bytes.map(Recorder::new);
        let call_gas = call_gas(spec);
        let work = Work { is_brief: settings.is_brief, ..Work::default() };
        let extra = Extra { work, recorder, chain_id, base_fee, blob_base_fee, call_gas, ..Extra::default() };
        let mut cfg = CfgEnv::<SpecId>::default().with_spec_and_mainnet_gas_params(spec);
        cfg.limit_contract_code_size = Some(settings.max_code_bytes);
        cfg.limit_contract_initcode_size = Some(revm::primitives::eip3860::MAX_INITCODE_SIZE);
        cfg.tx_gas_limit_cap = Some(u64::MAX);
        cfg.memory_limit = if settings.is_brief { BRIEF_MEMORY_BYTES } else { MAX_MEMORY_BYTES };
        let precompiles = CairnPrecompiles::new(spec, &settings.moved_precompiles);
        let context = CairnContext::new(SessionState::new(spec), spec);
        let mut context = context.with_chain(extra).with_block(settings.block.clone()).with_cfg(cfg);
        context.journaled_state.warm_precompiles(precompiles.warm_addresses());
        Self { inner: Evm::new(context, instructions(spec), precompiles) }
    }

    pub fn context(&mut self) -> &mut CairnContext {
        &mut self.inner.ctx
    }

    pub fn state(&mut self) -> &mut SessionState {
        &mut self.inner.ctx.journaled_state.database
    }

    /// `created` is the account of a creation that may run.
    fn enter(&mut self, input: &FrameInput, created: Address) {
        let context = &mut self.inner.ctx;
        if context.chain.recorder.is_none() && context.chain.tracer.is_none() {
            return;
        }
        // After the call tree was cut, nothing is copied.
        if context.chain.tracer.is_none()
            && let Some(recorder) = context.chain.recorder.as_mut().filter(|recorder| recorder.is_cut)
        {
            return recorder.enter(Frame::default());
        }
        let frame = frame_of(input, created, &context.local);
        if let Some(tracer) = &mut context.chain.tracer {
            let is_call = matches!(input, FrameInput::Call(_));
            tracer.enter(&frame, is_call && self.inner.precompiles.contains(&frame.to));
            // EIP-7702: the account whose code runs.
            let account = context.journaled_state.state.get(&frame.to).filter(|_| is_call);
            if let Some(delegate) = account.and_then(|account| account.info.code.as_ref()?.eip7702_address()) {
                tracer.touch(delegate);
            }
        }
        if let Some(recorder) = &mut context.chain.recorder {
            recorder.enter(frame);
        }
    }

    fn leave(&mut self, result: &FrameResult, error: u8) {
        let ended = result.interpreter_result();
        let extra = &mut self.inner.ctx.chain;
        extra.error = error;
        if extra.recorder.is_none() && extra.tracer.is_none() {
            return;
        }
        // A failed call has used all its gas and has no output.
        let (used, output) = match ended.result.is_ok_or_revert() {
            true => (ended.gas.total_gas_spent(), ended.output.clone()),
            false => (ended.gas.limit(), Bytes::new()),
        };
        if let Some(tracer) = &mut extra.tracer {
            tracer.exit(error, used, &output);
        }
        if let Some(recorder) = &mut extra.recorder {
            recorder.leave(error, used, output);
        }
    }

    fn is_long(&self, input: &FrameInput) -> bool {
        matches!(input, FrameInput::Call(call) if self.inner.precompiles.is_long(&call.bytecode_address))
    }

    /// Delivers trace events once there are enough.
    fn flush_trace(&mut self) -> Result<(), ContextDbError<CairnContext>> {
        let context = &mut self.inner.ctx;
        let Some(tracer) = &mut context.chain.tracer else { return Ok(()) };
        tracer.flush_full(&mut context.journaled_state.database).map_err(ContextError::Db)
    }

    /// revm warms the target of every transaction.
    fn cool(&mut self, input: &FrameInput) {
        if let FrameInput::Call(call) = input
            && let Some(account) = self.inner.ctx.journaled_state.state.get_mut(&call.target_address)
        {
            account.mark_cold();
        }
    }

    /// The address of a creation that is not refused.
    fn created_address(&mut self, input: &FrameInit) -> Result<Option<Address>, Stop> {
        let FrameInput::Create(create) = &input.frame_input else { return Ok(None) };
        let caller = &self.inner.ctx.journaled_state.load_account(create.caller())?.info;
        let is_refused = input.depth > CALL_STACK_LIMIT as usize || caller.balance < create.value();
        Ok((!is_refused && caller.nonce != u64::MAX).then(|| create.created_address(caller.nonce)))
    }

    /// EIP-7610: revm checks only code and nonce. This repeats the steps that revm takes before its check.
    fn collide_with_storage(
        &mut self,
        input: &FrameInit,
        created: Option<Address>,
    ) -> Result<Option<FrameResult>, Stop> {
        let (FrameInput::Create(create), Some(address)) = (&input.frame_input, created) else { return Ok(None) };
        let journal = &mut self.inner.ctx.journaled_state;
        if !journal.database.has_old_storage(address)? {
            return Ok(None);
        }
        journal.load_account_mut(create.caller())?.bump_nonce();
        journal.load_account(address)?;
        Ok(Some(collision(create)))
    }
}

/// The gas that a frame passes to the frame it opens.
fn gas_passed_on(action: &InterpreterAction) -> u64 {
    match action {
        InterpreterAction::NewFrame(FrameInput::Call(call)) => call.gas_limit,
        InterpreterAction::NewFrame(FrameInput::Create(create)) => create.gas_limit(),
        _ => 0,
    }
}

fn is_out_of_memory(action: &InterpreterAction) -> bool {
    matches!(action, InterpreterAction::Return(result) if result.result == InstructionResult::MemoryLimitOOG)
}

fn frame_of(input: &FrameInput, created: Address, local: &LocalContext) -> Frame {
    match input {
        FrameInput::Call(call) => Frame {
            kind: match call.scheme {
                CallScheme::Call => frames::CALL,
                CallScheme::CallCode => frames::CALLCODE,
                CallScheme::DelegateCall => frames::DELEGATECALL,
                CallScheme::StaticCall => frames::STATICCALL,
            },
            // A delegatecall passes its own caller on; the calling account is the one whose state it uses.
            from: if call.scheme.is_delegate_call() { call.target_address } else { call.caller },
            to: call.bytecode_address,
            value: call.value.get(),
            gas: call.gas_limit,
            input: call.input.bytes_local(local),
            ..Frame::default()
        },
        FrameInput::Create(create) => Frame {
            kind: if create.scheme() == CreateScheme::Create { frames::CREATE } else { frames::CREATE2 },
            from: create.caller(),
            to: created,
            value: create.value(),
            gas: create.gas_limit(),
            input: create.init_code().clone(),
            ..Frame::default()
        },
        FrameInput::Empty => Frame::default(),
    }
}

fn collision(create: &CreateInputs) -> FrameResult {
    let gas = Gas::new(create.gas_limit());
    let result = InterpreterResult::new(InstructionResult::CreateCollision, Bytes::new(), gas);
    FrameResult::Create(CreateOutcome::new(result, None))
}

/// The error of a call that ran no code: it was refused, or its target is a precompile.
fn error_before_start(result: &FrameResult, precompile: Address) -> u8 {
    let ended = result.interpreter_result().result;
    match result {
        // The creator has the maximum nonce, for which revm has no error.
        FrameResult::Create(create) if ended.is_ok() && create.address.is_none() => outcome::NONCE_OVERFLOW,
        // MODEXP refuses input only if it is too large to be paid for.
        FrameResult::Call(_) if ended == InstructionResult::PrecompileError && precompile == MODEXP => {
            outcome::OUT_OF_GAS
        }
        _ => outcome::error_code(ended),
    }
}

impl EvmTr for CairnEvm {
    type Context = CairnContext;
    type Instructions = EthInstructions<EthInterpreter, CairnContext>;
    type Precompiles = CairnPrecompiles;
    type Frame = EthFrame;

    fn all(&self) -> (&CairnContext, &Self::Instructions, &CairnPrecompiles, &FrameStack<EthFrame>) {
        self.inner.all()
    }

    fn all_mut(
        &mut self,
    ) -> (&mut CairnContext, &mut Self::Instructions, &mut CairnPrecompiles, &mut FrameStack<EthFrame>) {
        self.inner.all_mut()
    }

    fn frame_init(&mut self, input: FrameInit) -> Result<FrameInitResult<'_, EthFrame>, ContextDbError<CairnContext>> {
        if self.inner.ctx.chain.cancel.is_set() {
            return Err(ContextError::Db(Stop::Cancelled));
        }
        let work = &self.inner.ctx.chain.work;
        if work.is_brief && (work.gas_left == 0 || self.is_long(&input.frame_input)) {
            return Err(ContextError::Db(Stop::Exhausted));
        }
        let created = self.created_address(&input).map_err(ContextError::Db)?;
        self.enter(&input.frame_input, created.unwrap_or_default());
        if input.depth == 0 && self.inner.ctx.chain.is_system {
            self.cool(&input.frame_input);
        }
        let precompile = match &input.frame_input {
            FrameInput::Call(call) => call.bytecode_address,
            _ => Address::ZERO,
        };
        let ended = match self.collide_with_storage(&input, created).map_err(ContextError::Db)? {
            Some(result) => Some(result),
            None => match self.inner.frame_init(input)? {
                ItemOrResult::Item(_) => None,
                ItemOrResult::Result(result) => Some(result),
            },
        };
        if let Some(result) = ended {
            self.inner.ctx.chain.work.spend(result.gas().total_gas_spent());
            self.leave(&result, error_before_start(&result, precompile));
            self.flush_trace()?;
            return Ok(ItemOrResult::Result(result));
        }
        let Inner { ctx, frame_stack, .. } = &mut self.inner;
        if let Some(tracer) = &mut ctx.chain.tracer {
            tracer.code(frame_stack.get().interpreter.bytecode.original_byte_slice());
        }
        self.flush_trace()?;
        Ok(ItemOrResult::Item(self.inner.frame_stack.get()))
    }

    fn frame_run(&mut self) -> Result<FrameInitOrResult<EthFrame>, ContextDbError<CairnContext>> {
        let Inner { ctx, instruction, frame_stack, .. } = &mut self.inner;
        let frame = frame_stack.get();
        let is_watched = ctx.chain.tracer.as_ref().is_some_and(|tracer| tracer.watches_steps());
        let gas_before = frame.interpreter.gas.remaining();
        ctx.chain.work.gas_floor = gas_before.saturating_sub(ctx.chain.work.gas_left);
        let action = if is_watched && !frame.interpreter.bytecode.is_empty() {
            run_traced(frame, instruction, ctx)
        } else {
            frame.interpreter.run_plain(instruction.instruction_table(), instruction.gas_table(), ctx)
        };
        let gas_spent = gas_before.saturating_sub(frame.interpreter.gas.remaining());
        ctx.chain.work.spend(gas_spent.saturating_sub(gas_passed_on(&action)));
        if ctx.chain.work.is_brief && is_out_of_memory(&action) {
            return Err(ContextError::Db(Stop::Exhausted));
        }
        let is_code = matches!(&action, InterpreterAction::Return(result) if !result.output.is_empty());
        let next = frame.process_next_action::<_, ContextDbError<CairnContext>>(ctx, action)?;
        if let ItemOrResult::Result(result) = &next {
            frame.set_finished(true);
            let ended = result.interpreter_result();
            // Frontier: code that was not paid for is dropped, and the creation succeeds.
            let is_unpaid = is_code && ended.output.is_empty() && ended.result.is_ok();
            let error = match result {
                FrameResult::Create(_) if is_unpaid => outcome::CODE_NOT_PAID,
                // The code deposit is checked before the first byte of the code.
                FrameResult::Create(_)
                    if ended.result == InstructionResult::CreateContractStartingWithEF
                        && ended.gas.remaining() < ctx.cfg.gas_params.code_deposit_cost(ended.output.len()) =>
                {
                    outcome::OUT_OF_GAS
                }
                _ => outcome::error_code(precise(&frame.interpreter, ended.result)),
            };
            self.leave(result, error);
            self.flush_trace()?;
        }
        Ok(next)
    }

    fn frame_return_result(
        &mut self,
        result: <EthFrame as FrameTr>::FrameResult,
    ) -> Result<Option<FrameResult>, ContextDbError<CairnContext>> {
        let is_watched = self.inner.ctx.chain.tracer.as_ref().is_some_and(|tracer| tracer.watches_steps());
        if !is_watched {
            return self.inner.frame_return_result(result);
        }
        let written = written_by(&result);
        let last = self.inner.frame_return_result(result)?;
        let Inner { ctx, frame_stack, .. } = &mut self.inner;
        if let (None, Some(tracer)) = (&last, &mut ctx.chain.tracer) {
            write_resume(tracer, &frame_stack.get().interpreter, written);
        }
        self.flush_trace()?;
        Ok(last)
    }
}

/// Computes fees, because revm's prices have 128 bits.
pub struct CairnHandler;

impl Handler for CairnHandler {
    type Evm = CairnEvm;
    type Error = EVMError<Stop>;
    type HaltReason = HaltReason;

    fn validate_env(&self, _: &mut CairnEvm) -> Result<(), Self::Error> {
        Ok(())
    }

    fn validate_against_state_and_deduct_caller(
        &self,
        evm: &mut CairnEvm,
        _: &mut InitialAndFloorGas,
    ) -> Result<(), Self::Error> {
        let (_, tx, _, journal, extra, _) = evm.context().all_mut();
        let mut caller = journal.load_account_mut(tx.caller())?;
        caller.set_balance(extra.balance_left);
        // A creation raises the nonce itself.
        if tx.kind().is_call() {
            // A block refuses the highest nonce; a simulation that waives nonces wraps around.
            if !caller.bump_nonce() {
                caller.set_nonce(0);
            }
        }
        Ok(())
    }

    fn reimburse_caller(&self, evm: &mut CairnEvm, result: &mut FrameResult) -> Result<(), Self::Error> {
        let gas = result.gas();
        let unused = U256::from(gas.remaining() + gas.refunded() as u64);
        let (_, tx, _, journal, extra, _) = evm.context().all_mut();
        journal.balance_incr(tx.caller(), unused * extra.gas_price)?;
        Ok(())
    }

    fn reward_beneficiary(&self, evm: &mut CairnEvm, result: &mut FrameResult) -> Result<(), Self::Error> {
        let used = U256::from(result.gas().used());
        let (block, _, _, journal, extra, _) = evm.context().all_mut();
        // The base fee is burnt. Only a simulated call pays less, and then there is no tip.
        let tip = extra.gas_price.saturating_sub(extra.base_fee);
        journal.balance_incr(block.beneficiary, used * tip)?;
        Ok(())
    }
}

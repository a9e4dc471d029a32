//! The state of one block under execution: transactions in order, system calls, and changes.

use alloy_primitives::{Address, Bytes, KECCAK256_EMPTY, TxKind, U256, address};
use revm::{
    context::{JournalTr, TxEnv},
    context_interface::result::{EVMError, ExecutionResult},
    database_interface::Database,
    handler::Handler,
    precompile::install_crypto,
    primitives::hardfork::SpecId,
    state::EvmState,
};

use crate::{
    decode::{Reader, Settings, Transaction},
    evm::{CairnEvm, CairnHandler, Extra},
    host::{Host, Stop},
    modexp::CairnCrypto,
    outcome::{GasUse, NONE, put, write_outcome},
    state::{SessionState, Value},
    trace::Tracer,
};

/// EIP-4788: the caller of system calls.
const SYSTEM_ADDRESS: Address = address!("fffffffffffffffffffffffffffffffffffffffe");
const RIPEMD160: Address = address!("0000000000000000000000000000000000000003");
const SYSTEM_CALL_GAS: u64 = 30_000_000;
/// State lookups of a brief session per call: each reads the database.
const BRIEF_ASKS: u32 = 64;

/// Codes of docs/internals/wire/engine-native.md.
const RUN: u32 = 0;
const SYSTEM_CALL: u32 = 1;
const CREDIT: u32 = 2;
const SWEEP: u32 = 3;
const HAS_CODE: u32 = 4;

/// Why a run ended.
const DONE: u8 = 0;
const REFUSED: u8 = 1;
const INTERRUPTED: u8 = 2;

/// Bits of the waivers.
const NONCE: u8 = 1;
const BALANCE: u8 = 2;
const BASE_FEE: u8 = 4;
const SENDER_CODE: u8 = 8;
const GAS_LIMIT: u8 = 16;

#[derive(Clone, Copy, Default)]
struct Usage {
    gas: u64,
    blob_gas: u64,
}

/// A sender as the transaction rules see it.
struct Sender {
    nonce: u64,
    balance: U256,
    /// True for code other than a delegation.
    has_code: bool,
}

pub struct Session {
    evm: CairnEvm,
    settings: Settings,
    usage: Usage,
    checkpoints: Vec<(usize, Usage)>,
}

impl Session {
    pub fn new(settings: &[u8]) -> Result<Self, Stop> {
        // Applies to the process: only the first call counts.
        install_crypto(CairnCrypto);
        let settings = Reader::new(settings).settings()?;
        let evm = CairnEvm::new(&settings);
        Ok(Self { evm, settings, usage: Usage::default(), checkpoints: Vec::new() })
    }

    /// Called before and after every call that may read state.
    pub fn attach(&mut self, mut host: Option<Host>) {
        if let Some(host) = host.as_mut().filter(|_| self.settings.is_brief) {
            host.asks_left = BRIEF_ASKS;
        }
        self.evm.context().chain.cancel = host.as_ref().map(|host| host.cancel).unwrap_or_default();
        self.state().host = host;
    }

    pub fn state(&mut self) -> &mut SessionState {
        self.evm.state()
    }

    pub fn call(&mut self, operation: u32, first: &[u8], second: &[u8]) -> Result<Vec<u8>, Stop> {
        match operation {
            RUN => self.run_traced(first, second),
            SYSTEM_CALL => self.system_call(address_of(first)?, second),
            CREDIT => self.credit(address_of(first)?, U256::from_be_slice(second)).map(|()| Vec::new()),
            SWEEP => self.sweep(address_of(first)?, address_of(second)?).map(|()| Vec::new()),
            HAS_CODE => self.has_code(address_of(first)?).map(|has_code| vec![u8::from(has_code)]),
            _ => Err(Stop::Broken("There is no such operation.".to_owned())),
        }
    }

    /// `wants` has the bits of src/evm/trace/events.ts; empty for no trace.
    fn run_traced(&mut self, transactions: &[u8], wants: &[u8]) -> Result<Vec<u8>, Stop> {
        let wants = <[u8; 2]>::try_from(wants).ok().map(u16::from_be_bytes);
        // Delivered events of a transaction cannot be taken back.
        if wants.is_none() {
            self.allow_interruption();
        }
        self.evm.context().chain.tracer = wants.map(|wants| Box::new(Tracer::new(wants)));
        let outcomes = self.run(transactions)?;
        self.evm.context().chain.tracer = None;
        Ok(outcomes)
    }

    /// The number of outcomes, each outcome after its length, then why the run ended.
    fn run(&mut self, transactions: &[u8]) -> Result<Vec<u8>, Stop> {
        let mut reader = Reader::new(transactions);
        let count = reader.u32()?;
        let mut out = vec![0; 4];
        for index in 0..count {
            let transaction = reader.transaction(self.settings.chain_id)?;
            let end = match self.run_next(transaction, &mut out) {
                Ok(None) => continue,
                Ok(Some(Sender { nonce, balance, has_code })) => {
                    let sender = [&nonce.to_be_bytes()[..], &balance.to_be_bytes::<32>(), &[u8::from(has_code)]];
                    [&[REFUSED][..], &sender.concat()].concat()
                }
                Err(Stop::Cancelled) if !self.evm.context().chain.cancel.is_cancelled() => {
                    self.forget_transaction();
                    vec![INTERRUPTED]
                }
                Err(stop) => return Err(stop),
            };
            out[..4].copy_from_slice(&index.to_be_bytes());
            put(&mut out, &[&end]);
            return Ok(out);
        }
        out[..4].copy_from_slice(&count.to_be_bytes());
        out.push(DONE);
        Ok(out)
    }

    /// Returns the sender if the transaction is refused.
    fn run_next(&mut self, mut transaction: Transaction, out: &mut Vec<u8>) -> Result<Option<Sender>, Stop> {
        let env = &mut transaction.env;
        env.gas_limit = env.gas_limit.min(self.settings.gas_cap);
        let sender = self.sender(env.caller)?;
        if self.is_refused(&transaction, &sender) {
            return Ok(Some(sender));
        }
        self.execute(transaction, &sender, out)?;
        Ok(None)
    }

    /// After an interruption: revm reverted its journal, and this drops the accounts it loaded.
    fn forget_transaction(&mut self) {
        let context = self.evm.context();
        context.journaled_state.finalize();
        context.error = Ok(());
        context.chain.destroyed = None;
    }

    fn allow_interruption(&mut self) {
        let cancel = self.evm.context().chain.cancel.interruptible();
        self.evm.context().chain.cancel = cancel;
        if let Some(host) = self.state().host.as_mut() {
            host.cancel = cancel;
        }
    }

    fn system_call(&mut self, to: Address, input: &[u8]) -> Result<Vec<u8>, Stop> {
        let context = self.evm.context();
        context.tx = TxEnv {
            caller: SYSTEM_ADDRESS,
            gas_limit: SYSTEM_CALL_GAS,
            kind: TxKind::Call(to),
            data: Bytes::copy_from_slice(input),
            ..TxEnv::default()
        };
        context.chain.gas_price = U256::ZERO;
        context.chain.is_system = true;
        let result = self.transact(CairnHandler::run_system_call)?;
        let state = self.take_state(&result);
        self.state().commit(state, None);
        let mut out = Vec::new();
        let gas = GasUse { used: result.gas().total_gas_spent(), refunded: 0, blobs: 0 };
        self.describe(&mut out, &result, gas, None);
        Ok(out)
    }

    fn credit(&mut self, address: Address, wei: U256) -> Result<(), Stop> {
        let balance = self.state().account(address)?.map_or(U256::ZERO, |account| account.balance);
        let balance = balance.checked_add(wei).ok_or_else(|| Stop::Broken("A balance has 256 bits.".to_owned()))?;
        self.state().set_balance(address, balance)
    }

    fn sweep(&mut self, from: Address, to: Address) -> Result<(), Stop> {
        let Some(Value { balance, .. }) = self.state().account(from)? else { return Ok(()) };
        self.state().set_balance(from, U256::ZERO)?;
        self.credit(to, balance)
    }

    fn has_code(&mut self, address: Address) -> Result<bool, Stop> {
        let hash = self.state().account(address)?.map_or(KECCAK256_EMPTY, |account| account.code_hash);
        Ok(!self.state().code_by_hash(hash)?.is_empty())
    }

    pub fn checkpoint(&mut self) -> usize {
        let mark = self.state().checkpoint();
        self.checkpoints.push((mark, self.usage));
        self.checkpoints.len() - 1
    }

    pub fn revert(&mut self, checkpoint: usize) -> Result<(), Stop> {
        let found = self.checkpoints.get(checkpoint).copied();
        let (mark, usage) = found.ok_or_else(|| Stop::Broken("There is no such checkpoint.".to_owned()))?;
        self.state().revert(mark);
        self.usage = usage;
        self.checkpoints.truncate(checkpoint + 1);
        Ok(())
    }

    fn sender(&mut self, address: Address) -> Result<Sender, Stop> {
        let Some(Value { nonce, balance, code_hash }) = self.state().account(address)? else {
            return Ok(Sender { nonce: 0, balance: U256::ZERO, has_code: false });
        };
        let code = self.state().code_by_hash(code_hash)?;
        let has_code = !code.is_empty() && !code.is_eip7702();
        Ok(Sender { nonce, balance, has_code })
    }

    /// Whether src/evm/transaction-refusal.ts finds a reason, which it then reports.
    fn is_refused(&mut self, transaction: &Transaction, sender: &Sender) -> bool {
        let Settings { waivers, base_fee, blob_base_fee, block, max_blob_gas, spec, .. } = &self.settings;
        let Transaction { env, max_fee, max_blob_fee, .. } = transaction;
        let Usage { gas, blob_gas } = self.usage;
        let waives = |bit: u8| waivers & bit != 0;
        let initial = self.evm.context().cfg.gas_params.initial_tx_gas_for_tx(env, None);
        let floor = if spec.is_enabled_in(SpecId::PRAGUE) { initial.floor_gas() } else { 0 };
        env.gas_limit < initial.initial_total_gas().max(floor)
            || (!waives(GAS_LIMIT) && env.gas_limit > block.gas_limit.saturating_sub(gas))
            || transaction.blob_gas() > max_blob_gas.saturating_sub(blob_gas)
            || (!waives(BASE_FEE) && max_fee < base_fee)
            || (!waives(BASE_FEE) && env.tx_type == 3 && max_blob_fee < blob_base_fee)
            || (!waives(NONCE) && (env.nonce != sender.nonce || env.nonce == u64::MAX))
            || (!waives(SENDER_CODE) && sender.has_code)
            || (!waives(BALANCE) && sender.balance < transaction.upfront_cost())
    }

    fn execute(&mut self, transaction: Transaction, sender: &Sender, out: &mut Vec<u8>) -> Result<(), Stop> {
        let blob_gas = transaction.blob_gas();
        let price = transaction.max_fee.min(self.settings.base_fee.saturating_add(transaction.priority_fee));
        let cost = transaction.cost(price, self.settings.blob_base_fee);
        // The sender owns less than needed only if the session waives the balance.
        let owned = sender.balance.max(transaction.upfront_cost()).max(cost);
        let context = self.evm.context();
        context.tx = transaction.env;
        context.chain.gas_price = price;
        context.chain.is_system = false;
        context.chain.balance_left = owned - cost;
        if let Some(tracer) = &mut context.chain.tracer {
            tracer.begin();
            tracer.touch(context.tx.caller);
            tracer.touch(context.block.beneficiary);
            for authority in authorities(&context.tx) {
                tracer.touch(authority);
            }
        }
        let result = self.transact(CairnHandler::run)?;
        let state = self.take_state(&result);
        let mut tracer = self.evm.context().chain.tracer.take();
        let traced = match &mut tracer {
            Some(tracer) => tracer.before(self.state(), &state)?,
            None => Vec::new(),
        };
        let mut changes = self.settings.writes_changes.then(Vec::new);
        self.state().commit(state, changes.as_mut());
        let gas = GasUse { used: result.tx_gas_used(), refunded: result.gas().final_refunded(), blobs: blob_gas };
        self.usage.gas += gas.used;
        self.usage.blob_gas += gas.blobs;
        if let Some(tracer) = &mut tracer {
            let error = self.evm.context().chain.error;
            tracer.accounts(self.state(), traced)?;
            tracer.end(self.state(), error, gas)?;
        }
        self.evm.context().chain.tracer = tracer;
        let from = out.len();
        put(out, &[&[0; 4]]);
        self.describe(out, &result, gas, changes.as_deref());
        let length = (out.len() - from - 4) as u32;
        out[from..from + 4].copy_from_slice(&length.to_be_bytes());
        Ok(())
    }

    fn transact(
        &mut self,
        run: fn(&mut CairnHandler, &mut CairnEvm) -> Result<ExecutionResult, EVMError<Stop>>,
    ) -> Result<ExecutionResult, Stop> {
        let extra = &mut self.evm.context().chain;
        extra.error = NONE;
        extra.work.begin();
        if let Some(recorder) = &mut extra.recorder {
            recorder.begin();
        }
        run(&mut CairnHandler, &mut self.evm).map_err(|error| match error {
            EVMError::Database(stop) => stop,
            other => Stop::Broken(format!("The native engine failed: {other:?}")),
        })
    }

    /// Takes the changes of a transaction out of the journal.
    fn take_state(&mut self, result: &ExecutionResult) -> EvmState {
        let mut state = self.evm.context().journaled_state.finalize();
        // As in the JavaScript engine, a failed transaction reverts even the touch of this precompile.
        if !result.is_success()
            && let Some(account) = state.get_mut(&RIPEMD160).filter(|account| account.is_empty())
        {
            account.unmark_touch();
        }
        state
    }

    fn describe(&mut self, out: &mut Vec<u8>, result: &ExecutionResult, gas: GasUse, changes: Option<&[u8]>) {
        let Extra { error, recorder, .. } = &self.evm.context().chain;
        write_outcome(out, *error, result, gas, recorder.as_ref(), changes);
    }
}

/// Signers of authorizations (EIP-7702) that may be valid.
fn authorities(tx: &TxEnv) -> impl Iterator<Item = Address> {
    let signed = tx.authorization_list.iter().filter_map(|either| either.as_ref().right());
    signed
        .filter(|authorization| authorization.nonce() != u64::MAX)
        .filter_map(|authorization| authorization.authority())
}

fn address_of(bytes: &[u8]) -> Result<Address, Stop> {
    Address::try_from(bytes).map_err(|_| Stop::Broken("An address has 20 bytes.".to_owned()))
}

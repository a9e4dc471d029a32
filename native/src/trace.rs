//! Trace events of a running transaction (docs/internals/wire/trace-events.md): frames, transactions and state.
//! steps.rs writes instructions. The counterpart of src/evm/js/tracer.ts.

use std::collections::{BTreeMap, BTreeSet};

use revm::{
    database_interface::Database,
    primitives::{Address, U256},
    state::EvmState,
};

use crate::{
    evm::Destroyed,
    frames::{CREATE, CREATE2, Frame},
    host::Stop,
    outcome::{GasUse, flag, put, put_sized},
    state::{SessionState, Value},
};

pub const CALLS: u16 = 1;
pub const STEPS: u16 = 2;
pub const STACK: u16 = 4;
pub const MEMORY: u16 = 8;
pub const STORAGE: u16 = 16;
pub const RETURN_DATA: u16 = 32;
pub const CODE: u16 = 64;
pub const LOGS: u16 = 128;
pub const CHANGES: u16 = 256;
pub const TOUCHED: u16 = 512;

const CHUNK_BYTES: usize = 64 * 1024;

const BEGIN_EVENT: u8 = 1;
const ENTER_EVENT: u8 = 2;
const CODE_EVENT: u8 = 3;
const EXIT_EVENT: u8 = 6;
const SELFDESTRUCT_EVENT: u8 = 7;
const ACCOUNT_EVENT: u8 = 9;
const END_EVENT: u8 = 10;

const HAS_BEFORE: u8 = 1;
const HAS_AFTER: u8 = 2;
const HAS_CODE_BEFORE: u8 = 4;
const HAS_CODE_AFTER: u8 = 8;

#[derive(Debug, Default)]
pub struct Tracer {
    pub wants: u16,
    bytes: Vec<u8>,
    /// Start of the last event.
    last: usize,
    index: u32,
    depth: u16,
    /// Refunds earned by the frames around the running one, the innermost last.
    refunds: Vec<i64>,
    /// The refund reported last.
    pub told_refund: i64,
    touched: BTreeMap<Address, BTreeSet<U256>>,
}

/// An account before a transaction, with its relevant slots and their values.
pub struct Before {
    address: Address,
    value: Option<Value>,
    slots: BTreeMap<U256, U256>,
    /// Whether it is reported even if unchanged.
    is_touched: bool,
}

impl Tracer {
    pub fn new(wants: u16) -> Self {
        Self { wants, bytes: Vec::with_capacity(2 * CHUNK_BYTES), ..Self::default() }
    }

    #[inline(always)]
    pub const fn has(&self, wants: u16) -> bool {
        self.wants & wants != 0
    }

    /// Whether instructions must be observed.
    pub const fn watches_steps(&self) -> bool {
        self.has(STEPS | LOGS | TOUCHED)
    }

    pub fn touch(&mut self, address: Address) {
        if self.has(TOUCHED) {
            self.touched.entry(address).or_default();
        }
    }

    pub fn touch_slot(&mut self, address: Address, slot: U256) {
        self.touched.entry(address).or_default().insert(slot);
    }

    pub fn begin(&mut self) {
        self.depth = 0;
        self.refunds.clear();
        self.told_refund = 0;
        let index = self.index.to_be_bytes();
        self.start(&[BEGIN_EVENT]).extend_from_slice(&index);
        self.index += 1;
    }

    pub fn enter(&mut self, frame: &Frame, is_precompile: bool) {
        let (depth, has_input) = (self.depth, self.has(CALLS));
        let out = self.start(&[ENTER_EVENT, frame.kind, u8::from(is_precompile)]);
        put(out, &[&depth.to_be_bytes(), frame.from.as_slice(), frame.to.as_slice()]);
        put(out, &[&frame.value.to_be_bytes::<32>(), &frame.gas.to_be_bytes()]);
        put_sized(out, if has_input { &frame.input } else { &[] });
        self.depth += 1;
        self.touch(frame.from);
        // A refused creation has no address.
        if !frame.to.is_zero() || !matches!(frame.kind, CREATE | CREATE2) {
            self.touch(frame.to);
        }
    }

    pub fn code(&mut self, code: &[u8]) {
        if self.has(CODE) && !code.is_empty() {
            put_sized(self.start(&[CODE_EVENT]), code);
        }
    }

    pub fn selfdestruct(&mut self, Destroyed { from, to, balance }: &Destroyed) {
        self.touch(*to);
        let parts = [from.as_slice(), to.as_slice(), &balance.to_be_bytes::<32>()];
        put(self.start(&[SELFDESTRUCT_EVENT]), &parts);
    }

    pub fn exit(&mut self, error: u8, gas_used: u64, output: &[u8]) {
        let has_output = self.has(CALLS | RETURN_DATA);
        self.depth -= 1;
        let out = self.start(&[EXIT_EVENT, error]);
        put(out, &[&gas_used.to_be_bytes()]);
        put_sized(out, if has_output { output } else { &[] });
    }

    /// The refund of the running frame, `own`, plus those of the frames around it.
    pub fn refund(&self, own: i64) -> i64 {
        self.refunds.last().unwrap_or(&0) + own
    }

    /// The running frame, which has earned `own` so far, enters another.
    pub fn suspend(&mut self, own: i64) {
        self.refunds.push(self.refund(own));
    }

    /// The inner frame has ended.
    pub fn resume(&mut self) {
        self.refunds.pop();
    }

    /// Begins an event with its kind and optionally more bytes.
    #[inline(always)]
    pub fn start(&mut self, head: &[u8]) -> &mut Vec<u8> {
        self.last = self.bytes.len();
        self.bytes.extend_from_slice(head);
        &mut self.bytes
    }

    /// The bytes of the current event.
    pub const fn event(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Sets a bit in a byte of the current event.
    pub fn add_flag(&mut self, at: usize, bit: u8) {
        self.bytes[self.last + at] |= bit;
    }

    /// Delivers complete events once they exceed a chunk.
    #[inline(always)]
    pub fn flush_full(&mut self, state: &mut SessionState) -> Result<(), Stop> {
        if self.bytes.len() <= CHUNK_BYTES { Ok(()) } else { self.flush_but_last(state) }
    }

    #[cold]
    fn flush_but_last(&mut self, state: &mut SessionState) -> Result<(), Stop> {
        if self.last > 0 {
            state.host()?.send(&self.bytes[..self.last])?;
            self.bytes.drain(..self.last);
            self.last = 0;
        }
        if self.bytes.len() > CHUNK_BYTES { self.flush(state) } else { Ok(()) }
    }

    fn flush(&mut self, state: &mut SessionState) -> Result<(), Stop> {
        let sent = state.host()?.send(&self.bytes);
        self.bytes.clear();
        self.bytes.shrink_to(2 * CHUNK_BYTES);
        sent
    }

    /// The values to compare, taken before the journal of a transaction is applied to `state`.
    pub fn before(&mut self, state: &mut SessionState, journal: &EvmState) -> Result<Vec<Before>, Stop> {
        if !self.has(CHANGES | TOUCHED) {
            return Ok(Vec::new());
        }
        let mut wanted: BTreeMap<_, _> =
            std::mem::take(&mut self.touched).into_iter().map(|(address, slots)| (address, (slots, true))).collect();
        for (address, account) in journal.iter().filter(|(_, account)| account.is_touched()) {
            let changed = account.storage.iter().filter(|(_, slot)| slot.is_changed()).map(|(slot, _)| *slot);
            wanted.entry(*address).or_default().0.extend(changed);
        }
        let mut found = Vec::with_capacity(wanted.len());
        for (address, (slots, is_touched)) in wanted {
            let value = state.account(address)?;
            let slots = slots.into_iter().map(|slot| Ok((slot, state.storage(address, slot)?)));
            found.push(Before { address, value, slots: slots.collect::<Result<_, Stop>>()?, is_touched });
        }
        Ok(found)
    }

    /// Writes the accounts after the transaction.
    pub fn accounts(&mut self, state: &mut SessionState, accounts: Vec<Before>) -> Result<(), Stop> {
        for account in accounts {
            self.account(state, account)?;
            self.flush_full(state)?;
        }
        Ok(())
    }

    fn account(
        &mut self,
        state: &mut SessionState,
        Before { address, value: before, slots, is_touched }: Before,
    ) -> Result<(), Stop> {
        let after = state.account(address)?;
        let mut compared = Vec::with_capacity(slots.len());
        for (slot, was) in slots {
            let is = if after.is_some() { state.storage(address, slot)? } else { U256::ZERO };
            // Only changed slots, and none of a removed account.
            if self.has(TOUCHED) || (after.is_some() && is != was) {
                compared.push([slot, was, is]);
            }
        }
        if before == after && compared.is_empty() && !is_touched {
            return Ok(());
        }
        let code_of = |state: &mut SessionState, value: Option<Value>| match value {
            Some(value) => state.code_by_hash(value.code_hash).map(|code| code.original_bytes()),
            None => Ok(revm::primitives::Bytes::new()),
        };
        let is_same_code = matches!((before, after), (Some(a), Some(b)) if a.code_hash == b.code_hash);
        let code_before = if is_same_code && !self.has(TOUCHED) { Default::default() } else { code_of(state, before)? };
        let code_after = if is_same_code { Default::default() } else { code_of(state, after)? };
        let flags = flag(before.is_some(), HAS_BEFORE)
            | flag(after.is_some(), HAS_AFTER)
            | flag(!code_before.is_empty(), HAS_CODE_BEFORE)
            | flag(!code_after.is_empty(), HAS_CODE_AFTER);
        let out = self.start(&[ACCOUNT_EVENT]);
        put(out, &[address.as_slice(), &[flags]]);
        for Value { nonce, balance, code_hash } in [before, after].into_iter().flatten() {
            put(out, &[&nonce.to_be_bytes(), &balance.to_be_bytes::<32>(), code_hash.as_slice()]);
        }
        for code in [code_before, code_after].iter().filter(|code| !code.is_empty()) {
            put_sized(out, code);
        }
        put(out, &[&(compared.len() as u32).to_be_bytes()]);
        for word in compared.as_flattened() {
            put(out, &[&word.to_be_bytes::<32>()]);
        }
        Ok(())
    }

    pub fn end(&mut self, state: &mut SessionState, error: u8, gas: GasUse) -> Result<(), Stop> {
        let out = self.start(&[END_EVENT, error]);
        put(out, &[&gas.used.to_be_bytes(), &gas.refunded.to_be_bytes()]);
        self.flush_full(state)?;
        self.flush(state)
    }
}

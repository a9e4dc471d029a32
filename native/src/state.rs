//! The state of one session between transactions: reads, changes, their undo log, and the net difference in the
//! encoding of src/types/state-changes.ts. Within a transaction, revm's journal is the state.

use std::cell::RefCell;

use alloy_primitives::map::{AddressMap, B256Map, B256Set, Entry, U256Map};
use revm::{
    database_interface::Database,
    primitives::{Address, B256, Bytes, KECCAK_EMPTY, U256, hardfork::SpecId},
    state::{Account, AccountInfo, Bytecode, EvmState},
};

use crate::{
    host::{Host, Stop},
    outcome::put,
};

/// Analysed code that a thread keeps between sessions, by hash; cleared completely if it grows beyond this.
const CODE_CACHE_BYTES: usize = 32 * 1024 * 1024;
/// Size of a cached code in addition to its bytes: without it, millions of the shortest would fit.
const CODE_ENTRY_BYTES: usize = 512;

const ACCOUNT_ENTRY: u8 = 1;
const STORAGE_ENTRY: u8 = 2;
const CODE_ENTRY: u8 = 3;
const DESTROYED_ENTRY: u8 = 4;

thread_local! {
    static CODE_CACHE: RefCell<(usize, B256Map<Bytecode>)> = RefCell::default();
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    pub nonce: u64,
    pub balance: U256,
    pub code_hash: B256,
}

impl Value {
    const NOTHING: Self = Self { nonce: 0, balance: U256::ZERO, code_hash: KECCAK_EMPTY };
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    /// Value at the start of the session.
    origin: U256,
    current: U256,
}

#[derive(Debug, Default, Clone, Copy)]
struct Head {
    current: Option<Value>,
    /// True if unknown slots are zero and need no lookup, because the account was recreated.
    is_detached: bool,
    /// Destroyed during the session, whether recreated or not.
    is_destroyed: bool,
}

#[derive(Debug, Default)]
struct Cell {
    /// Value at the start of the session.
    origin: Option<Value>,
    has_old_storage: bool,
    head: Head,
    slots: U256Map<Slot>,
}

#[derive(Debug)]
enum Undo {
    Head(Address, Head),
    Slot(Address, U256, U256),
    Slots(Address, U256Map<Slot>),
    Code(B256),
}

#[derive(Debug)]
pub struct SessionState {
    pub host: Option<Host>,
    spec: SpecId,
    cells: AddressMap<Cell>,
    /// Code that this session wrote, even if another transaction removed it since.
    written: B256Map<Bytecode>,
    undo: Vec<Undo>,
    /// Nothing can be reverted before the first checkpoint.
    keeps_undo: bool,
}

impl SessionState {
    pub fn new(spec: SpecId) -> Self {
        let (cells, written) = Default::default();
        Self { host: None, spec, cells, written, undo: Vec::new(), keeps_undo: false }
    }

    pub fn account(&mut self, address: Address) -> Result<Option<Value>, Stop> {
        Ok(self.cell(address)?.head.current)
    }

    /// EIP-7610: the account has storage from before, which forbids a creation.
    pub fn has_old_storage(&mut self, address: Address) -> Result<bool, Stop> {
        let cell = self.cell(address)?;
        Ok(cell.has_old_storage && !cell.head.is_detached)
    }

    /// Sets a balance, or removes an account that becomes empty if the fork clears empty ones.
    pub fn set_balance(&mut self, address: Address, balance: U256) -> Result<(), Stop> {
        let value = Value { balance, ..self.account(address)?.unwrap_or(Value::NOTHING) };
        if value == Value::NOTHING && self.spec.is_enabled_in(SpecId::SPURIOUS_DRAGON) {
            self.destroy(address);
        } else {
            self.set(address, value, false);
        }
        Ok(())
    }

    pub fn checkpoint(&mut self) -> usize {
        self.keeps_undo = true;
        self.undo.len()
    }

    pub fn revert(&mut self, mark: usize) {
        for undo in self.undo.drain(mark..).rev() {
            match undo {
                Undo::Head(address, head) => self.cells.entry(address).or_default().head = head,
                Undo::Slots(address, slots) => self.cells.entry(address).or_default().slots = slots,
                Undo::Code(hash) => {
                    self.written.remove(&hash);
                }
                Undo::Slot(address, slot, value) => {
                    if let Some(slot) = self.cells.entry(address).or_default().slots.get_mut(&slot) {
                        slot.current = value;
                    }
                }
            }
        }
    }

    /// Applies the journal of a transaction and writes its changes on request.
    pub fn commit(&mut self, state: EvmState, changes: Option<&mut Vec<u8>>) {
        let mut accounts: Vec<_> = state.into_iter().filter(|(_, account)| account.is_touched()).collect();
        let mut writer = changes.map(Writer::new);
        if writer.is_some() {
            accounts.sort_unstable_by_key(|(address, _)| *address);
        }
        for (address, account) in accounts {
            let before = self.cells.get(&address).and_then(|cell| cell.head.current);
            let is_cleared = account.is_empty() && self.spec.is_enabled_in(SpecId::SPURIOUS_DRAGON);
            let now = if account.is_selfdestructed() || is_cleared {
                self.destroy(address);
                None
            } else {
                Some(self.take_over(address, &account))
            };
            if let Some(writer) = &mut writer {
                let slots = account.storage.iter().filter(|(_, slot)| slot.is_changed());
                let is_gone = before.is_some() && now.is_none();
                writer.cell(address, before, is_gone, now, slots.map(|(slot, value)| (*slot, value.present_value)));
            }
        }
        if let Some(writer) = writer {
            writer.codes(&self.written);
        }
    }

    /// Changes since the session began.
    pub fn changes(&self) -> Vec<u8> {
        let mut changes = Vec::new();
        let mut writer = Writer::new(&mut changes);
        let mut cells: Vec<_> = self.cells.iter().collect();
        cells.sort_unstable_by_key(|(address, _)| **address);
        for (address, Cell { origin, head, slots, .. }) in cells {
            let is_gone = origin.is_some() && (head.is_destroyed || head.current.is_none());
            let slots = slots.iter().filter(|(_, slot)| slot.current != slot.origin);
            writer.cell(*address, *origin, is_gone, head.current, slots.map(|(slot, value)| (*slot, value.current)));
        }
        writer.codes(&self.written);
        changes
    }

    fn take_over(&mut self, address: Address, account: &Account) -> Value {
        let AccountInfo { nonce, balance, code_hash, .. } = account.info;
        let value = Value { nonce, balance, code_hash };
        if let Some(code) = account.info.code.as_ref().filter(|code| !code.is_empty()) {
            let known = self.cells.get(&address).and_then(|cell| cell.head.current).map(|value| value.code_hash);
            if known != Some(code_hash) && !self.written.contains_key(&code_hash) {
                if self.keeps_undo {
                    self.undo.push(Undo::Code(code_hash));
                }
                self.written.insert(code_hash, code.clone());
            }
        }
        self.set(address, value, account.is_created());
        let cell = self.cells.entry(address).or_default();
        for (key, slot) in account.storage.iter().filter(|(_, slot)| slot.is_changed()) {
            let known = cell.slots.entry(*key).or_insert(Slot { origin: U256::ZERO, current: U256::ZERO });
            if self.keeps_undo {
                self.undo.push(Undo::Slot(address, *key, known.current));
            }
            known.current = slot.present_value;
        }
        value
    }

    pub fn host(&mut self) -> Result<&mut Host, Stop> {
        host(&mut self.host)
    }

    fn set(&mut self, address: Address, value: Value, is_new: bool) {
        let cell = self.cells.entry(address).or_default();
        let head = Head { current: Some(value), is_detached: cell.head.is_detached || is_new, ..cell.head };
        if self.keeps_undo {
            self.undo.push(Undo::Head(address, cell.head));
        }
        cell.head = head;
    }

    /// Removes the account and its storage.
    fn destroy(&mut self, address: Address) {
        let cell = self.cells.entry(address).or_default();
        if cell.head.current.is_none() && cell.slots.is_empty() {
            return;
        }
        let slots = std::mem::take(&mut cell.slots);
        if self.keeps_undo {
            self.undo.push(Undo::Head(address, cell.head));
            self.undo.push(Undo::Slots(address, slots));
        }
        cell.head = Head { current: None, is_detached: true, is_destroyed: true };
    }

    fn cell(&mut self, address: Address) -> Result<&mut Cell, Stop> {
        match self.cells.entry(address) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let (origin, has_old_storage) = host(&mut self.host)?.account(address)?;
                let head = Head { current: origin, is_detached: origin.is_none(), is_destroyed: false };
                Ok(entry.insert(Cell { origin, has_old_storage, head, slots: U256Map::default() }))
            }
        }
    }
}

impl Database for SessionState {
    type Error = Stop;

    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, Stop> {
        let Some(Value { nonce, balance, code_hash }) = self.account(address)? else { return Ok(None) };
        Ok(Some(AccountInfo { nonce, balance, code_hash, code: None, account_id: None }))
    }

    fn code_by_hash(&mut self, hash: B256) -> Result<Bytecode, Stop> {
        if hash == KECCAK_EMPTY {
            return Ok(Bytecode::default());
        }
        if let Some(code) = self.written.get(&hash) {
            return Ok(code.clone());
        }
        if let Some(code) = CODE_CACHE.with_borrow(|(_, codes)| codes.get(&hash).cloned()) {
            return Ok(code);
        }
        let bytes = Bytes::from(self.host()?.code(hash)?);
        // EIP-7702. Before Prague the same bytes are ordinary, failing code, so they are not cached by hash.
        if let Ok(delegation) = Bytecode::new_eip7702_raw(bytes.clone()) {
            let is_known = self.spec.is_enabled_in(SpecId::PRAGUE);
            return Ok(if is_known { delegation } else { Bytecode::new_legacy(bytes) });
        }
        let size = bytes.len() + CODE_ENTRY_BYTES;
        let code = Bytecode::new_legacy(bytes);
        CODE_CACHE.with_borrow_mut(|(kept, codes)| {
            *kept += size;
            if *kept > CODE_CACHE_BYTES {
                codes.clear();
                *kept = size;
            }
            codes.insert(hash, code.clone());
        });
        Ok(code)
    }

    fn storage(&mut self, address: Address, slot: U256) -> Result<U256, Stop> {
        let cell = self.cell(address)?;
        if let Some(known) = cell.slots.get(&slot) {
            return Ok(known.current);
        }
        if cell.head.is_detached {
            return Ok(U256::ZERO);
        }
        let origin = self.host()?.storage(address, slot)?;
        self.cell(address)?.slots.insert(slot, Slot { origin, current: origin });
        Ok(origin)
    }

    fn block_hash(&mut self, number: u64) -> Result<B256, Stop> {
        self.host()?.block_hash(number)
    }
}

fn host(host: &mut Option<Host>) -> Result<&mut Host, Stop> {
    host.as_mut().ok_or_else(|| Stop::Broken("the session has no call under way".to_owned()))
}

/// Writes changes in the encoding of src/types/state-changes.ts, ordered by address and slot.
struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// Hashes of code that accounts did not have before.
    codes: B256Set,
}

impl<'a> Writer<'a> {
    fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, codes: B256Set::default() }
    }

    fn cell(
        &mut self,
        address: Address,
        before: Option<Value>,
        is_gone: bool,
        now: Option<Value>,
        slots: impl Iterator<Item = (U256, U256)>,
    ) {
        if is_gone {
            put(self.out, &[&[DESTROYED_ENTRY], address.as_slice()]);
        }
        let before = before.filter(|_| !is_gone);
        let Some(value) = now else { return };
        let Value { nonce, balance, code_hash } = value;
        if before != now {
            let (nonce, balance) = (nonce.to_be_bytes(), balance.to_be_bytes::<32>());
            put(self.out, &[&[ACCOUNT_ENTRY], address.as_slice(), &nonce, &balance, code_hash.as_slice()]);
        }
        if before.is_none_or(|before| before.code_hash != code_hash) {
            self.codes.insert(code_hash);
        }
        let mut slots: Vec<_> = slots.collect();
        slots.sort_unstable();
        for (slot, value) in slots {
            let (slot, value) = (slot.to_be_bytes::<32>(), value.to_be_bytes::<32>());
            put(self.out, &[&[STORAGE_ENTRY], address.as_slice(), &slot, &value]);
        }
    }

    fn codes(mut self, written: &B256Map<Bytecode>) {
        let mut hashes: Vec<_> = std::mem::take(&mut self.codes).into_iter().collect();
        hashes.sort_unstable();
        for (hash, code) in hashes.iter().filter_map(|hash| Some((hash, written.get(hash)?))) {
            let code = code.original_byte_slice();
            put(self.out, &[&[CODE_ENTRY], hash.as_slice(), &(code.len() as u32).to_be_bytes(), code]);
        }
    }
}

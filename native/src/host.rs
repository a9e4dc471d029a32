//! The arguments of one call: the scratch buffer, the function that answers questions in it
//! (src/evm/state-lookup.ts), and the cancel cell. The only file with `unsafe` besides memory.rs: it calls Node-API
//! directly, because a wrapper that keeps references or allocates per call would cost more than the lookup itself.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicI32, Ordering};

use napi::{Env, Error, JsValue, Result, Status, Unknown, sys};
use revm::{
    database_interface::DBErrorMarker,
    primitives::{Address, B256, U256},
};

use crate::state::Value;

/// Kinds of questions.
const ACCOUNT: usize = 1;
const STORAGE: usize = 2;
const CODE: usize = 3;
const BLOCK_HASH: usize = 4;
/// Offsets in a question and its answer.
const SLOT: usize = 20;
const CODE_FROM: usize = 32;
const ANSWER: usize = 64;
const CODE_CHUNK: usize = 32 * 1024;
const SCRATCH_BYTES: usize = ANSWER + CODE_CHUNK;
/// Bit of the answer about an account.
const HAS_STORAGE: i64 = 2;

type Answer<Value> = std::result::Result<Value, Stop>;

/// Used if no cell was given.
static NEVER: AtomicI32 = AtomicI32::new(0);

/// Why the work of a session ends.
#[derive(Debug, Clone)]
pub enum Stop {
    /// The state reader threw; its exception is pending in Node.
    Thrown,
    Cancelled,
    /// More work than the session allows.
    Exhausted,
    Broken(String),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{self:?}")
    }
}
impl std::error::Error for Stop {}
impl DBErrorMarker for Stop {}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Self {
        match stop {
            // Node throws the pending exception when the call returns.
            Stop::Thrown => Error::new(Status::PendingException, ""),
            Stop::Cancelled => Error::new(Status::Cancelled, "cancelled"),
            Stop::Exhausted => Error::new(Status::Cancelled, "exhausted"),
            Stop::Broken(reason) => Error::new(Status::GenericFailure, reason),
        }
    }
}

/// Bits of the cell: the work is not wanted any more; or its time is up, and its results so far are wanted.
const CANCEL: i32 = 1;
const INTERRUPT: i32 = 2;

/// Index 0 of an Int32Array that another thread may set.
#[derive(Debug, Clone, Copy)]
pub struct CancelCell {
    cell: *const AtomicI32,
    /// The bits that end the current work.
    ends: i32,
}

impl Default for CancelCell {
    fn default() -> Self {
        Self { cell: &NEVER, ends: CANCEL }
    }
}

impl CancelCell {
    /// The same cell for transactions, which an interruption also ends.
    pub const fn interruptible(self) -> Self {
        Self { ends: CANCEL | INTERRUPT, ..self }
    }

    #[inline(always)]
    pub fn is_set(self) -> bool {
        self.load() & self.ends != 0
    }

    pub fn is_cancelled(self) -> bool {
        self.load() & CANCEL != 0
    }

    #[inline(always)]
    fn load(self) -> i32 {
        // SAFETY: the pointer is to NEVER, or to the first element of an array that is an argument of the current
        // call, which keeps it alive; the session returns to NEVER before the call returns.
        unsafe { (*self.cell).load(Ordering::Relaxed) }
    }
}

/// Valid during the call that made it, and used by its thread only.
#[derive(Debug)]
pub struct Host {
    env: sys::napi_env,
    lookup: sys::napi_value,
    undefined: sys::napi_value,
    /// By kind of question.
    kinds: [sys::napi_value; 5],
    scratch: *mut u8,
    sink: Option<Sink>,
    pub cancel: CancelCell,
    /// Questions that the session still allows.
    pub asks_left: u32,
}

/// The receiver of trace events: a buffer, and a function that receives the number of filled bytes and whether the
/// last event is complete.
#[derive(Debug)]
struct Sink {
    function: sys::napi_value,
    buffer: *mut u8,
    length: usize,
}

impl Host {
    /// The last argument is the buffer and the function, or undefined.
    pub fn new(
        env: &Env,
        scratch: &Unknown,
        lookup: &Unknown,
        cancel: &Unknown,
        (events, on_events): (&Unknown, &Unknown),
    ) -> Result<Self> {
        let env = env.raw();
        let mut kinds = [std::ptr::null_mut(); 5];
        let mut undefined = std::ptr::null_mut();
        let mut kind_of_lookup = 0;
        // SAFETY: `env` and the values belong to the current call; every out pointer is to a local.
        unsafe {
            check(sys::napi_typeof(env, lookup.raw(), &mut kind_of_lookup))?;
            check(sys::napi_get_undefined(env, &mut undefined))?;
            for (kind, value) in kinds.iter_mut().enumerate() {
                check(sys::napi_create_uint32(env, kind as u32, value))?;
            }
        }
        if kind_of_lookup != sys::ValueType::napi_function {
            return Err(Error::new(Status::FunctionExpected, "the lookup is a function"));
        }
        let (scratch, length) = typed_array(env, scratch.raw(), sys::TypedarrayType::uint8_array)?;
        if length < SCRATCH_BYTES {
            return Err(Error::new(Status::InvalidArg, "the scratch buffer is too small"));
        }
        let cancel = match cancel.get_type()? {
            napi::ValueType::Undefined => CancelCell::default(),
            _ => match typed_array(env, cancel.raw(), sys::TypedarrayType::int32_array)? {
                (cell, 1..) => CancelCell { cell: cell.cast(), ..CancelCell::default() },
                _ => return Err(Error::new(Status::InvalidArg, "the cancel cell is empty")),
            },
        };
        let sink = match on_events.get_type()? {
            napi::ValueType::Function => {
                let (buffer, length) = typed_array(env, events.raw(), sys::TypedarrayType::uint8_array)?;
                Some(Sink { function: on_events.raw(), buffer: buffer.cast(), length })
            }
            _ => None,
        };
        let lookup = lookup.raw();
        let scratch = scratch.cast();
        Ok(Self { env, lookup, undefined, kinds, scratch, sink, cancel, asks_left: u32::MAX })
    }

    /// An account, and whether it has storage.
    pub fn account(&mut self, address: Address) -> Answer<(Option<Value>, bool)> {
        self.put(0, address.as_slice());
        let answer = self.ask(ACCOUNT)?;
        if answer == 0 {
            return Ok((None, false));
        }
        let mut fields = [0; 72];
        self.get(ANSWER, &mut fields);
        let value = Value {
            nonce: u64::from_be_bytes(fields[..8].try_into().unwrap_or_default()),
            balance: U256::from_be_slice(&fields[8..40]),
            code_hash: B256::from_slice(&fields[40..]),
        };
        Ok((Some(value), answer & HAS_STORAGE != 0))
    }

    pub fn storage(&mut self, address: Address, slot: U256) -> Answer<U256> {
        self.put(0, address.as_slice());
        self.put(SLOT, &slot.to_be_bytes::<32>());
        if self.ask(STORAGE)? == 0 { Ok(U256::ZERO) } else { Ok(U256::from_be_bytes(self.word())) }
    }

    pub fn code(&mut self, hash: B256) -> Answer<Vec<u8>> {
        let mut code = Vec::new();
        loop {
            self.put(0, hash.as_slice());
            self.put(CODE_FROM, &(code.len() as u32).to_be_bytes());
            let length = usize::try_from(self.ask(CODE)?).unwrap_or(0);
            let from = code.len();
            code.resize(length.min(from + CODE_CHUNK), 0);
            self.get(ANSWER, &mut code[from..]);
            if code.len() >= length {
                return Ok(code);
            }
        }
    }

    pub fn block_hash(&mut self, number: u64) -> Answer<B256> {
        self.put(0, &number.to_be_bytes());
        if self.ask(BLOCK_HASH)? == 0 { Ok(B256::ZERO) } else { Ok(B256::new(self.word())) }
    }

    fn ask(&mut self, kind: usize) -> Answer<i64> {
        if self.cancel.is_set() {
            return Err(Stop::Cancelled);
        }
        self.asks_left = self.asks_left.checked_sub(1).ok_or(Stop::Exhausted)?;
        self.call(self.lookup, &[self.kinds[kind]])
    }

    /// Delivers trace events in as many pieces as the buffer requires.
    pub fn send(&mut self, events: &[u8]) -> Answer<()> {
        let Some(Sink { function, buffer, length }) = &self.sink else {
            return Err(Stop::Broken("trace events have no receiver".to_owned()));
        };
        let (function, buffer, length) = (*function, *buffer, *length);
        let mut rest = events;
        while !rest.is_empty() {
            if self.cancel.is_set() {
                return Err(Stop::Cancelled);
            }
            let (piece, more) = rest.split_at(rest.len().min(length));
            rest = more;
            let mut arguments = [std::ptr::null_mut(); 2];
            // SAFETY: as in `put`, with the length of this buffer; as in `new`.
            unsafe {
                std::ptr::copy_nonoverlapping(piece.as_ptr(), buffer, piece.len());
                for (argument, number) in arguments.iter_mut().zip([piece.len(), usize::from(rest.is_empty())]) {
                    if sys::napi_create_uint32(self.env, number as u32, argument) != sys::Status::napi_ok {
                        return Err(Stop::Broken("Node-API refused a number".to_owned()));
                    }
                }
            }
            self.call(function, &arguments)?;
        }
        Ok(())
    }

    /// Calls a function in its own handle scope: a block calls often, and handles must not pile up.
    fn call(&mut self, function: sys::napi_value, arguments: &[sys::napi_value]) -> Answer<i64> {
        let mut scope = std::ptr::null_mut();
        let mut answer = std::ptr::null_mut();
        let mut number = 0;
        // SAFETY: as in `new`; the scope is closed before any return.
        let status = unsafe {
            let opened = sys::napi_open_handle_scope(self.env, &mut scope);
            if opened != sys::Status::napi_ok {
                return Err(Stop::Broken(format!("Node-API answered {opened}")));
            }
            let (count, first) = (arguments.len(), arguments.as_ptr());
            let mut status = sys::napi_call_function(self.env, self.undefined, function, count, first, &mut answer);
            if status == sys::Status::napi_ok {
                status = sys::napi_get_value_int64(self.env, answer, &mut number);
            }
            sys::napi_close_handle_scope(self.env, scope);
            status
        };
        match status {
            sys::Status::napi_ok => Ok(number),
            sys::Status::napi_pending_exception => Err(Stop::Thrown),
            other => Err(Stop::Broken(format!("the state lookup answered no number ({other})"))),
        }
    }

    /// Writes an answer to the scratch buffer; `None` if it does not fit.
    pub fn give(&mut self, answer: &[u8]) -> Option<u32> {
        (answer.len() <= SCRATCH_BYTES).then(|| {
            self.put(0, answer);
            answer.len() as u32
        })
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= SCRATCH_BYTES);
        // SAFETY: within the buffer, whose length was checked; no Rust reference to it exists.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.scratch.add(at), bytes.len()) }
    }

    fn get(&self, at: usize, bytes: &mut [u8]) {
        assert!(at + bytes.len() <= SCRATCH_BYTES);
        // SAFETY: as in `put`.
        unsafe { std::ptr::copy_nonoverlapping(self.scratch.add(at), bytes.as_mut_ptr(), bytes.len()) }
    }

    fn word(&self) -> [u8; 32] {
        let mut word = [0; 32];
        self.get(ANSWER, &mut word);
        word
    }
}

/// The elements of a typed array and their number.
fn typed_array(env: sys::napi_env, value: sys::napi_value, expected: i32) -> Result<(*mut std::ffi::c_void, usize)> {
    let mut kind = 0;
    let mut length = 0;
    let mut data = std::ptr::null_mut();
    // SAFETY: a value of the current call; every out pointer is to a local or null.
    let status = unsafe {
        let buffer = std::ptr::null_mut();
        sys::napi_get_typedarray_info(env, value, &mut kind, &mut length, &mut data, buffer, std::ptr::null_mut())
    };
    check(status)?;
    if kind != expected {
        return Err(Error::new(Status::InvalidArg, "another kind of array is expected"));
    }
    Ok((data, length))
}

fn check(status: sys::napi_status) -> Result<()> {
    if status == sys::Status::napi_ok { Ok(()) } else { Err(Error::new(Status::from(status), "Node-API refused")) }
}

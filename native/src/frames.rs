//! The call tree of a running transaction, within a limit in bytes; the counterpart of src/evm/js/call-recorder.ts.

use revm::primitives::{Address, Bytes, U256};

use crate::outcome::{put, put_sized};

pub const CALL: u8 = 0;
pub const CALLCODE: u8 = 1;
pub const DELEGATECALL: u8 = 2;
pub const STATICCALL: u8 = 3;
pub const CREATE: u8 = 4;
pub const CREATE2: u8 = 5;
pub const SELFDESTRUCT: u8 = 6;

/// Size of a frame without its input and output.
const FIXED_BYTES: usize = 1 + 1 + 2 + 4 + 20 + 20 + 32 + 8 + 8 + 4 + 4;

#[derive(Debug, Default)]
pub struct Frame {
    pub kind: u8,
    pub from: Address,
    pub to: Address,
    pub value: U256,
    pub gas: u64,
    pub input: Bytes,
    pub error: u8,
    pub depth: u16,
    pub subtraces: u32,
    pub gas_used: u64,
    pub output: Bytes,
}

#[derive(Debug)]
pub struct Recorder {
    max_bytes: usize,
    frames: Vec<Frame>,
    /// Indexes of the running frames; `None` for a dropped one.
    open: Vec<Option<usize>>,
    bytes: usize,
    pub is_cut: bool,
}

impl Recorder {
    pub fn new(max_bytes: usize) -> Self {
        Self { max_bytes, frames: Vec::new(), open: Vec::new(), bytes: 0, is_cut: false }
    }

    pub fn begin(&mut self) {
        self.frames.clear();
        self.open.clear();
        self.bytes = 0;
        self.is_cut = false;
    }

    pub fn enter(&mut self, frame: Frame) {
        let place = self.add(frame);
        self.open.push(place);
    }

    pub fn leave(&mut self, error: u8, gas_used: u64, output: Bytes) {
        let Some(Some(place)) = self.open.pop() else { return };
        let fits = self.fits(output.len());
        let frame = &mut self.frames[place];
        frame.error = error;
        frame.gas_used = gas_used;
        if fits {
            frame.output = output;
        }
    }

    pub fn selfdestruct(&mut self, from: Address, to: Address, value: U256) {
        self.add(Frame { kind: SELFDESTRUCT, from, to, value, ..Frame::default() });
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        put(out, &[&(self.frames.len() as u32).to_be_bytes()]);
        for frame in &self.frames {
            put(out, &[&[frame.kind, frame.error], &frame.depth.to_be_bytes(), &frame.subtraces.to_be_bytes()]);
            put(out, &[frame.from.as_slice(), frame.to.as_slice(), &frame.value.to_be_bytes::<32>()]);
            put(out, &[&frame.gas.to_be_bytes(), &frame.gas_used.to_be_bytes()]);
            put_sized(out, &frame.input);
            put_sized(out, &frame.output);
        }
    }

    fn add(&mut self, frame: Frame) -> Option<usize> {
        if !self.fits(FIXED_BYTES + frame.input.len()) {
            return None;
        }
        match self.open.last() {
            // Below a dropped frame nothing fits either.
            Some(None) => return None,
            Some(Some(parent)) => self.frames[*parent].subtraces += 1,
            None => {}
        }
        self.frames.push(Frame { depth: self.open.len() as u16, ..frame });
        Some(self.frames.len() - 1)
    }

    fn fits(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        self.is_cut |= self.bytes > self.max_bytes;
        !self.is_cut
    }
}

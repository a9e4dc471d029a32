/**
 * Writes the WebAssembly module of fast-keccak.ts: keccak-f[1600] on 25 local variables, so a compiler can keep the state in
 * registers, and one call from the input to the hash. ADR 94 has the figures.
 */

/** Bytes that one permutation absorbs. */
export const RATE = 136
export const STATE_BYTES = 200
const LANE_BYTES = 8
const LANES = 25
const ROUNDS = 24
const CONSTANTS_AT = 256
/** The input begins here and ends with the memory, after a whole number of blocks. */
export const INPUT_AT = 512
const PAGE_BYTES = 65_536
export const INPUT_BYTES = Math.floor((PAGE_BYTES - INPUT_AT) / RATE) * RATE

/** The functions of an instance. The state is at 0, and its first 32 bytes are the hash. */
export interface KeccakExports {
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Clears the state, then does the work of `end`. */
  hash(length: number): void
  /** Absorbs complete blocks of the input. */
  absorb(length: number): void
  /** Pads the last `length` bytes of a message, less than the input has room for, and absorbs them. */
  end(length: number): void
}

const OP = {
  loop: [0x03, 0x40],
  block: [0x02, 0x40],
  end: 0x0b,
  branchIf: 0x0d,
  call: 0x10,
  get: 0x20,
  set: 0x21,
  tee: 0x22,
  load64: 0x29,
  store64: 0x37,
  load8: 0x2d,
  store8: 0x3a,
  const32: 0x41,
  const64: 0x42,
  less32: 0x49,
  notLess32: 0x4f,
  add32: 0x6a,
  subtract32: 0x6b,
  remainder32: 0x70,
  or32: 0x72,
  and64: 0x83,
  xor64: 0x85,
  rotate64: 0x89,
  fill: [0xfc, 0x0b, 0x00],
} as const
const I32 = 0x7f
const I64 = 0x7e

type Code = readonly (number | Code)[]

export function keccakModule(): Uint8Array<ArrayBuffer> {
  const exported = (name: string, kind: number, index: number) => [
    vector([...Buffer.from(name)]),
    kind,
    index,
  ]
  return Uint8Array.from(
    flat([
      [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      section(1, [1, 0x60, vector([I32]), vector([])]),
      section(3, vector([0, 0, 0])),
      section(5, [1, 0x00, 1]),
      section(7, [
        4,
        exported('memory', 2, 0),
        exported('hash', 0, 0),
        exported('absorb', 0, 1),
        exported('end', 0, 2),
      ]),
      section(10, [
        3,
        body([], HASH),
        body(
          [
            [30 + LANES, I64],
            [2, I32],
          ],
          absorb(),
        ),
        body([[1, I32]], END),
      ]),
      section(11, [1, 0x00, OP.const32, signed(CONSTANTS_AT), OP.end, vector(roundConstants())]),
    ]),
  )
}

const get = (local: number): Code => [OP.get, local]
const set = (local: number): Code => [OP.set, local]
const const32 = (value: number): Code => [OP.const32, signed(value)]
const call = (index: number): Code => [OP.call, index]
/** An access of 8 bytes, aligned, at a constant offset from the address on the stack. */
const load = (offset: number): Code => [OP.load64, 3, unsigned(offset)]

const LENGTH = 0
const HASH: Code = [const32(0), const32(0), const32(STATE_BYTES), OP.fill, get(LENGTH), call(2)]

/** Pads with 1, zeros and the highest bit of the last byte. */
const PADDED = 1
const END: Code = [
  // The length up to the end of the last block.
  [get(LENGTH), const32(RATE), OP.add32, get(LENGTH), const32(RATE), OP.remainder32, OP.subtract32],
  [set(PADDED)],
  [get(LENGTH), const32(INPUT_AT), OP.add32, const32(0), get(PADDED), get(LENGTH), OP.subtract32, OP.fill],
  [get(LENGTH), const32(1), OP.store8, 0, unsigned(INPUT_AT)],
  [get(PADDED), get(PADDED), OP.load8, 0, unsigned(INPUT_AT - 1), const32(0x80), OP.or32],
  [OP.store8, 0, unsigned(INPUT_AT - 1)],
  [get(PADDED), call(1)],
]

/** Local variables: the length; lanes; lanes after rho and pi; parities of columns; then the two counters. */
function absorb(): Code {
  const lane = (index: number) => 1 + index
  const moved = (index: number) => 26 + index
  const parity = (x: number) => 51 + (x % 5)
  const at = 56
  const constant = 57
  const lanes = Array.from({ length: LANES }, (_, index) => index)
  const columns = [0, 1, 2, 3, 4]
  const theta = [
    columns.map((x) => [
      get(lane(x)),
      [5, 10, 15, 20].map((row) => [get(lane(x + row)), OP.xor64]),
      set(parity(x)),
    ]),
  ]
  const rhoPi = lanes.map((index) => {
    const x = index % 5
    const y = (index - x) / 5
    const spread = [get(parity(x + 4)), get(parity(x + 1)), rotate(1), OP.xor64]
    return [
      get(lane(index)),
      spread,
      OP.xor64,
      rotate(ROTATIONS[index]!),
      set(moved(y + 5 * ((2 * x + 3 * y) % 5))),
    ]
  })
  const chi = lanes.map((index) => {
    const row = index - (index % 5)
    const [next, second] = [moved(row + ((index + 1) % 5)), moved(row + ((index + 2) % 5))]
    return [get(next), ONES, OP.xor64, get(second), OP.and64, get(moved(index)), OP.xor64, set(lane(index))]
  })
  const iota = [get(lane(0)), get(constant), load(0), OP.xor64, set(lane(0))]
  const rounds = [
    [const32(CONSTANTS_AT), set(constant), OP.loop, theta, rhoPi, chi, iota],
    [get(constant), const32(LANE_BYTES), OP.add32, OP.tee, constant],
    [const32(CONSTANTS_AT + ROUNDS * LANE_BYTES), OP.less32, OP.branchIf, 0, OP.end],
  ]
  const absorbed = lanes
    .slice(0, RATE / LANE_BYTES)
    .map((index) => [
      get(lane(index)),
      get(at),
      load(INPUT_AT + index * LANE_BYTES),
      OP.xor64,
      set(lane(index)),
    ])
  return [
    lanes.map((index) => [const32(0), load(index * LANE_BYTES), set(lane(index))]),
    [OP.block, get(at), get(LENGTH), OP.notLess32, OP.branchIf, 0],
    [OP.loop, absorbed, rounds, get(at), const32(RATE), OP.add32, OP.tee, at],
    [get(LENGTH), OP.less32, OP.branchIf, 0, OP.end, OP.end],
    lanes.map((index) => [const32(0), get(lane(index)), OP.store64, 3, unsigned(index * LANE_BYTES)]),
  ]
}

const ONES: Code = [OP.const64, 0x7f]
const rotate = (bits: number): Code => [OP.const64, signed(bits), OP.rotate64]

/** The rotation of each lane: triangular numbers along the path of pi. */
const ROTATIONS: readonly number[] = rotations()

function rotations(): number[] {
  const offsets: number[] = new Array(LANES).fill(0)
  for (let step = 0, x = 1, y = 0; step < ROUNDS; step++) {
    offsets[x + 5 * y] = (((step + 1) * (step + 2)) / 2) % 64
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
  }
  return offsets
}

/** The constants of iota, little-endian: bits 2^j - 1 from a shift register of 8 bits. */
function roundConstants(): number[] {
  const constants: number[] = new Array(ROUNDS * LANE_BYTES).fill(0)
  let register = 1
  for (let round = 0; round < ROUNDS; round++) {
    for (let power = 1; power <= 64; power *= 2) {
      if (register & 1) constants[round * LANE_BYTES + ((power - 1) >> 3)]! |= 1 << ((power - 1) & 7)
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1
    }
  }
  return constants
}

function section(id: number, content: Code): Code {
  const bytes = flat(content)
  return [id, unsigned(bytes.length), bytes]
}

function body(locals: readonly (readonly [count: number, type: number])[], code: Code): Code {
  const bytes = flat([locals.length, locals, code, OP.end])
  return [unsigned(bytes.length), bytes]
}

function vector(items: readonly number[]): Code {
  return [unsigned(items.length), items]
}

function flat(code: Code): number[] {
  return code.flatMap((part) => (typeof part === 'number' ? [part] : flat(part)))
}

/** LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, unsigned(value >> 7)]
}

function signed(value: number): Code {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, signed(value >> 7)]
}

/** Programs that run until their gas is used up: typical code, and code known to take most time per gas. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'

export interface Program {
  readonly name: string
  /** `compute` measures the engine's own loop instead of its calls; js runs these in the same process. */
  readonly group: 'compute' | 'calls' | 'worst'
  /** The fork with the most expensive rules for us. */
  readonly fork: 'london' | 'prague' | 'osaka'
  readonly code: string
  readonly input: string
}

/** Copies the call data into memory, where the loops read it. */
const LOAD_INPUT = '366000600037'
const SIZE_LIMIT = 24_000
const word = (value: bigint | number): string => value.toString(16).padStart(64, '0')
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Repeats `body` as often as fits into a contract, endlessly. Leaves the stack unchanged. */
function loop(body: string, prologue = ''): string {
  const start = prologue.length / 2
  const times = Math.floor((SIZE_LIMIT - start) / (body.length / 2))
  return `${prologue}5b${body.repeat(times)}61${start.toString(16).padStart(4, '0')}56`
}

/** A short loop, which jumps often. */
function shortLoop(body: string, prologue = ''): string {
  return `${prologue}5b${body}61${(prologue.length / 2).toString(16).padStart(4, '0')}56`
}

/** Calls a precompile with all of the call data. */
function precompile(address: number): string {
  const call = `60006000366000${address < 256 ? `60${address.toString(16).padStart(2, '0')}` : '610100'}5afa50`
  return loop(call, LOAD_INPUT)
}

/** Creates contracts from the memory that the call data filled, or from `bytes` of JUMPDEST. */
function creations(bytes: number, salted: boolean): string {
  const size = `62${bytes.toString(16).padStart(6, '0')}`
  // Stores 32 bytes of JUMPDEST and copies them with the identity precompile, doubling each time.
  let fill = `7f${'5b'.repeat(32)}600052`
  for (let have = 32; have < bytes; have *= 2) {
    const length = `62${have.toString(16).padStart(6, '0')}`
    fill += `${length}${length}${length}600060045afa50`
  }
  return shortLoop(salted ? `5a${size}60006000f550` : `${size}60006000f050`, fill)
}

function modexp(base: string, exponent: string, modulus: string): string {
  const lengths = [base, exponent, modulus].map((part) => word(part.length / 2))
  return lengths.join('') + base + exponent + modulus
}

const BN_G1 = word(1) + word(2)
const BN_G2 = [
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2',
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed',
  '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b',
  '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
].join('')
const BIG = 'f'.repeat(64)

function ecrecover(): string {
  const digest = new Uint8Array(32).fill(3)
  const signature = secp256k1.sign(digest, new Uint8Array(32).fill(1), {
    prehash: false,
    format: 'recovered',
  })
  return hexOf(digest) + word(27 + signature[0]!) + hexOf(signature.subarray(1))
}

function p256Input(): string {
  const digest = new Uint8Array(32).fill(3)
  const key = new Uint8Array(32).fill(1)
  const signature = p256.sign(digest, key, { prehash: false })
  return hexOf(digest) + hexOf(signature) + hexOf(p256.getPublicKey(key, false).subarray(1))
}

const field = (value: bigint): string => value.toString(16).padStart(128, '0')
const G1 = bls12_381.G1.Point.BASE.toAffine()
const G2 = bls12_381.G2.Point.BASE.toAffine()
const BLS_G1 = field(G1.x) + field(G1.y)
const BLS_G2 = [G2.x.c0, G2.x.c1, G2.y.c0, G2.y.c1].map(field).join('')
/** A proof that zero is the value of the zero polynomial: commitment and proof are the point at infinity. */
const INFINITY = `c0${'00'.repeat(47)}`
const KZG = `010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014${word(0)}${word(0)}${INFINITY}${INFINITY}`

const compute = (name: string, code: string): Program => {
  return { name, group: 'compute', fork: 'osaka', code, input: '' }
}
const worst = (name: string, code: string, input = '', fork: Program['fork'] = 'prague'): Program => {
  return { name, group: 'worst', fork, code, input }
}

export const PROGRAMS: readonly Program[] = [
  compute('arithmetic', shortLoop('600302600501600790046001900360ff16', '6001')),
  compute('keccak 64 B', loop('604060002050')),
  compute('memory', shortLoop('6020516001016020526040518060605250')),
  compute('warm SLOAD', loop('60015450')),
  compute('JUMPDEST', loop('5b')),
  compute('PUSH/POP', loop('600150')),
  {
    name: 'call of an empty account',
    group: 'calls',
    fork: 'osaka',
    code: loop('600060006000600060007320000000000000000000000000000000000000025af150'),
    input: '',
  },
  { name: 'identity call', group: 'calls', fork: 'osaka', code: precompile(4), input: '00'.repeat(32) },
  {
    name: 'call of itself',
    group: 'calls',
    fork: 'osaka',
    code: shortLoop('6000600060006000305afa50'),
    input: '',
  },
  { name: 'creation', group: 'calls', fork: 'osaka', code: shortLoop('600060006000f050'), input: '' },
  worst('EXP', shortLoop(`7f${BIG}7f${BIG}0a50`)),
  worst('MULMOD', loop('8181810950', `7f${BIG}7f${BIG.replace('f', 'e')}7f7${BIG.slice(1)}`)),
  worst('SDIV', loop('81810550', `7f7${BIG.slice(1)}7f8${BIG.slice(1)}`)),
  worst('short jumps', shortLoop('')),
  worst('keccak 8 KB', loop('61200060002050')),
  worst('cold SLOAD', shortLoop('5a5450')),
  worst('cold BALANCE', shortLoop('5a3150')),
  worst('LOG4 of 32 B', loop('600060006000600060206000a4')),
  worst('fresh SSTORE', shortLoop('60015a55')),
  worst('48 KB of init code', creations(49_152, true)),
  worst('1 MB of init code', creations(1 << 20, false), '', 'london'),
  worst('ecrecover', precompile(1), ecrecover()),
  worst('sha256 128 B', precompile(2), '01'.repeat(128)),
  worst('ripemd160 128 B', precompile(3), '01'.repeat(128)),
  worst('identity 8 KB', precompile(4), '01'.repeat(8_192)),
  worst('modexp 32 B, short exponent', precompile(5), modexp(BIG, '03', BIG)),
  worst('modexp 32 B', precompile(5), modexp(BIG, BIG, BIG)),
  worst(
    'modexp 8 B, exponent 112 B',
    precompile(5),
    modexp('ff'.repeat(8), 'ff'.repeat(112), 'ff'.repeat(8)),
  ),
  worst('modexp 8 B even', precompile(5), modexp('ff'.repeat(8), 'ff'.repeat(112), `${'ff'.repeat(7)}fe`)),
  worst('modexp 16 B even', precompile(5), modexp('ff'.repeat(16), 'ff'.repeat(40), `${'ff'.repeat(15)}fe`)),
  worst('modexp 24 B even', precompile(5), modexp('ff'.repeat(24), 'ff'.repeat(21), `${'ff'.repeat(23)}fe`)),
  worst('modexp 256 B, exponent 3 B', precompile(5), modexp('ff'.repeat(256), '010001', 'ff'.repeat(256))),
  worst('modexp 1 KB even', precompile(5), modexp('ff'.repeat(1024), '03', `${'ff'.repeat(1023)}fe`)),
  worst(
    'modexp 1 KB even, Osaka',
    precompile(5),
    modexp('ff'.repeat(1024), '03', `${'ff'.repeat(1023)}fe`),
    'osaka',
  ),
  worst('bn254 add', precompile(6), BN_G1 + BN_G1),
  worst('bn254 mul', precompile(7), BN_G1 + BIG),
  worst('bn254 pairing, 1', precompile(8), BN_G1 + BN_G2),
  worst('bn254 pairing, 8', precompile(8), (BN_G1 + BN_G2).repeat(8)),
  worst('blake2f 100,000 rounds', precompile(9), `000186a0${'01'.repeat(208)}01`),
  worst('blake2f 1 round', precompile(9), `00000001${'01'.repeat(208)}01`),
  worst('point evaluation', precompile(10), KZG),
  worst('bls12-381 G1 add', precompile(11), BLS_G1 + BLS_G1),
  worst('bls12-381 G1 mul', precompile(12), BLS_G1 + BIG),
  worst('bls12-381 G2 add', precompile(13), BLS_G2 + BLS_G2),
  worst('bls12-381 G2 mul', precompile(14), BLS_G2 + BIG),
  worst('bls12-381 pairing', precompile(15), BLS_G1 + BLS_G2),
  worst('bls12-381 map to G1', precompile(16), field(5n)),
  worst('bls12-381 map to G2', precompile(17), field(5n) + field(7n)),
  worst('P256', precompile(256), p256Input(), 'osaka'),
]

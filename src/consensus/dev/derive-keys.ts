/**
 * Keys of a mnemonic (BIP-39, BIP-32, BIP-44), as wallets derive them for Ethereum: m/44'/60'/0'/0/index. The words are not
 * compared with a word list, because the development network accepts any phrase that wallets accept.
 */
import { createHmac, pbkdf2Sync } from 'node:crypto'
import { usageFault } from '#config/faults.ts'
import { bigintToBytes, bytesToBigint, concatBytes } from '#types/bytes.ts'
import { publicKeyFromPrivate } from '#types/curve.ts'

const SEED_ROUNDS = 2_048
const SEED_BYTES = 64
const KEY_BYTES = 32
const WORD_COUNTS: ReadonlySet<number> = new Set([12, 15, 18, 21, 24])
const HARDENED = 2 ** 31
const ETHEREUM_PATH = [HARDENED + 44, HARDENED + 60, HARDENED, 0]
/** The order of secp256k1. */
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n

interface ExtendedKey {
  readonly key: Uint8Array
  readonly chainCode: Uint8Array
}

export function deriveKeys(mnemonic: string, count: number): readonly Uint8Array[] {
  const words = mnemonic.trim().split(/\s+/)
  if (!WORD_COUNTS.has(words.length)) {
    throw usageFault(`--dev-mnemonic has ${words.length} words; a mnemonic has 12, 15, 18, 21 or 24.`)
  }
  const phrase = words.join(' ').normalize('NFKD')
  const seed = pbkdf2Sync(phrase, 'mnemonic', SEED_ROUNDS, SEED_BYTES, 'sha512')
  const parent = ETHEREUM_PATH.reduce(childOf, split(hmac(new TextEncoder().encode('Bitcoin seed'), seed)))
  return Array.from({ length: count }, (_, index) => childOf(parent, index).key)
}

function childOf({ key, chainCode }: ExtendedKey, index: number): ExtendedKey {
  const number = bigintToBytes(BigInt(index), 4)
  const start = index >= HARDENED ? concatBytes(Uint8Array.of(0), key) : compressed(key)
  const child = split(hmac(chainCode, concatBytes(start, number)))
  // A sum of zero, or a summand above the order, has a probability of 2^-127.
  const sum = (bytesToBigint(child.key) + bytesToBigint(key)) % ORDER
  return { key: bigintToBytes(sum, KEY_BYTES), chainCode: child.chainCode }
}

/** The form of SEC 1: the parity of y, and x. */
function compressed(privateKey: Uint8Array): Uint8Array {
  const point = publicKeyFromPrivate('secp256k1', privateKey)
  return concatBytes(Uint8Array.of(2 + (point.at(-1)! & 1)), point.subarray(0, KEY_BYTES))
}

function hmac(key: Uint8Array, data: Uint8Array): Uint8Array {
  return createHmac('sha512', key).update(data).digest()
}

function split(bytes: Uint8Array): ExtendedKey {
  return { key: bytes.slice(0, KEY_BYTES), chainCode: bytes.slice(KEY_BYTES) }
}

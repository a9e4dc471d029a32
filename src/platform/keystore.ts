/**
 * A private key in a password-protected file: keystore version 3, as geth, web3 and ethers write it. The file is
 * untrusted, so the processor time and memory it asks for are checked against limits before any computation.
 */
import { createCipheriv, createDecipheriv, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto'
import { scrypt as scryptInJavaScript } from '@noble/hashes/scrypt.js'
import { addressFromPublicKey, PRIVATE_KEY_BYTES, publicKeyFromPrivate } from '#types/curve.ts'
import { keccak256 } from '#types/keccak.ts'
import { platformFault } from './faults.ts'
import type { Random } from './random.ts'

/** Geth's standard: a guess costs 256 MiB and about a second. */
const SCRYPT = { n: 262_144, r: 8, p: 1 } as const
const DERIVED_BYTES = 32
const SALT_BYTES = 32
const IV_BYTES = 16
/** 128 · n · r, twice the value of geth's standard. */
const SCRYPT_MAX_BYTES = 512 * 1024 * 1024
/** n · r · p, about ten seconds. */
const SCRYPT_MAX_WORK = 8 * 1024 * 1024 * 2
const PBKDF2_MAX_ROUNDS = 10_000_000
const SALT_MAX_BYTES = 1024
const CIPHER = 'aes-128-ctr'

export function encryptKey(privateKey: Uint8Array, password: string, random: Random): string {
  const [salt, iv, id] = [SALT_BYTES, IV_BYTES, 16].map((bytes) => random.randomBytes(bytes)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  const derived = scrypt(password, salt, SCRYPT)
  const cipher = createCipheriv(CIPHER, derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()])
  const address = addressFromPublicKey(publicKeyFromPrivate('secp256k1', privateKey))
  return `${JSON.stringify({
    version: 3,
    id: uuidOf(id),
    address: address.slice(2),
    crypto: {
      cipher: CIPHER,
      cipherparams: { iv: hexOf(iv) },
      ciphertext: hexOf(ciphertext),
      kdf: 'scrypt',
      kdfparams: { dklen: DERIVED_BYTES, salt: hexOf(salt), ...SCRYPT },
      mac: hexOf(macOf(derived, ciphertext)),
    },
  })}\n`
}

/** Faults name the file, but contain nothing of the password or the key. */
export function decryptKey(text: string, password: string, file: string): Uint8Array {
  const { iv, ciphertext, mac, derive } = readKeystore(text, file)
  const derived = derive(password)
  if (!timingSafeEqual(macOf(derived, ciphertext), mac)) {
    const sentence = `The password does not open the keystore ${file}. Check the password file; a space at the end of its line counts.`
    throw platformFault('KEYSTORE_REFUSED', { sentence, path: file })
  }
  const decipher = createDecipheriv(CIPHER, derived.subarray(0, 16), iv)
  return new Uint8Array(Buffer.concat([decipher.update(ciphertext), decipher.final()]))
}

interface ReadKeystore {
  readonly iv: Uint8Array
  readonly ciphertext: Uint8Array
  readonly mac: Uint8Array
  readonly derive: (password: string) => Uint8Array
}

type Fields = Readonly<Record<string, unknown>>

function readKeystore(text: string, file: string): ReadKeystore {
  const refuse = (what: string) => {
    const sentence = `${file} is not a usable version 3 keystore: ${what}. Use a file that geth, web3 or \`cairn key encrypt\` wrote.`
    return platformFault('KEYSTORE_REFUSED', { sentence, path: file })
  }
  const fieldsOf = (value: unknown, name: string): Fields => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse(`it has no ${name}`)
    return value as Fields
  }
  const bytesOf = (value: unknown, name: string, min: number, max = min): Uint8Array => {
    const isHex = typeof value === 'string' && /^(0x)?([0-9a-f]{2})*$/i.test(value)
    const bytes = Buffer.from(isHex ? value.replace(/^0x/, '') : '', 'hex')
    if (!isHex || bytes.length < min || bytes.length > max)
      throw refuse(`its ${name} is not of the right length`)
    return bytes
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw refuse('it is not JSON')
  }
  const whole = fieldsOf(parsed, 'content')
  if (whole.version !== 3) throw refuse('its version is another')
  // Some programs write the name with a capital letter.
  const crypto = fieldsOf(whole.crypto ?? whole.Crypto, 'part crypto')
  if (crypto.cipher !== CIPHER) throw refuse(`its cipher is not ${CIPHER}`)
  const params = fieldsOf(crypto.kdfparams, 'kdfparams')
  const salt = bytesOf(params.salt, 'salt', 1, SALT_MAX_BYTES)
  if (params.dklen !== DERIVED_BYTES) throw refuse(`its dklen is not ${DERIVED_BYTES}`)
  return {
    iv: bytesOf(fieldsOf(crypto.cipherparams, 'cipherparams').iv, 'iv', IV_BYTES),
    ciphertext: bytesOf(crypto.ciphertext, 'ciphertext', PRIVATE_KEY_BYTES),
    mac: bytesOf(crypto.mac, 'mac', 32),
    derive: derivationOf(crypto.kdf, params, salt, refuse),
  }
}

function derivationOf(
  kdf: unknown,
  params: Fields,
  salt: Uint8Array,
  refuse: (what: string) => Error,
): (password: string) => Uint8Array {
  if (kdf === 'scrypt') {
    const { n, r, p } = params as { n: number; r: number; p: number }
    const isWhole = [n, r, p].every((value) => Number.isSafeInteger(value) && value >= 1)
    if (!isWhole || n < 2 || !Number.isInteger(Math.log2(n)))
      throw refuse('its scrypt parameters are invalid')
    if (128 * n * r > SCRYPT_MAX_BYTES || n * r * p > SCRYPT_MAX_WORK)
      throw refuse(
        `its scrypt numbers (n ${n}, r ${r}, p ${p}) ask for more memory or time than is given to a keystore`,
      )
    return (password) => scrypt(password, salt, { n, r, p })
  }
  if (kdf === 'pbkdf2') {
    const rounds = params.c
    if (params.prf !== 'hmac-sha256') throw refuse('its prf is not hmac-sha256')
    if (!Number.isSafeInteger(rounds) || (rounds as number) < 1 || (rounds as number) > PBKDF2_MAX_ROUNDS)
      throw refuse(`its number of rounds is not between 1 and ${PBKDF2_MAX_ROUNDS}`)
    return (password) => pbkdf2Sync(password, salt, rounds as number, DERIVED_BYTES, 'sha256')
  }
  throw refuse('its kdf is neither scrypt nor pbkdf2')
}

function scrypt(
  password: string,
  salt: Uint8Array,
  { n, r, p }: { n: number; r: number; p: number },
): Uint8Array {
  // OpenSSL counts a little more than the blocks themselves.
  const maxmem = 128 * r * (n + p + 2) + 1024 * 1024
  // OpenSSL enforces n < 2^(16 r) of RFC 7914. Keystores from Python tools (n 2^18, r 1) and the example in the keystore
  // definition violate it.
  if (n >= 2 ** (16 * r))
    return scryptInJavaScript(password, salt, { N: n, r, p, dkLen: DERIVED_BYTES, maxmem })
  return scryptSync(password, salt, DERIVED_BYTES, { N: n, r, p, maxmem })
}

function macOf(derived: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext]))
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function uuidOf(bytes: Uint8Array): string {
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

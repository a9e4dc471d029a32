/**
 * What a node asks the program that holds its key: three operations, as they are spoken over HTTP. A plugin with a signer has
 * the same three. docs/signer.md is generated from these rows.
 */

import { PUBLIC_KEY_BYTES } from '#types/curve.ts'
import { HASH_BYTES } from '#types/hash.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'

export type SignerOperationName = 'publicKey' | 'sign' | 'ecdh'

export interface SignerOperation {
  readonly name: SignerOperationName
  /** Added to the URL of the signer. */
  readonly path: string
  /** Sent by POST as a JSON object with this one member; undefined: a GET. */
  readonly parameter?: { readonly name: string; readonly bytes: number; readonly help: string }
  readonly help: string
  /** What the answer may be, by its number of bytes. */
  readonly answers: readonly { readonly bytes: number; readonly help: string }[]
}

export const SHARED_BYTES = 32

export const SIGNER_OPERATIONS: Readonly<Record<SignerOperationName, SignerOperation>> = {
  publicKey: {
    name: 'publicKey',
    path: '/publicKey',
    help: 'The public key of the node, a point of secp256k1.',
    answers: [
      { bytes: PUBLIC_KEY_BYTES, help: 'x and y' },
      { bytes: PUBLIC_KEY_BYTES + 1, help: '`04`, x and y, as devices give it' },
    ],
  },
  sign: {
    name: 'sign',
    path: '/sign',
    parameter: { name: 'digest', bytes: HASH_BYTES, help: 'What to sign, as it is: it is not hashed again' },
    help: 'An ECDSA signature over a digest.',
    answers: [
      { bytes: 64, help: 'r and s. The node finds out the recovery id, and takes the lower s itself' },
      { bytes: 65, help: 'the same, and a recovery id that is not looked at' },
    ],
  },
  ecdh: {
    name: 'ecdh',
    path: '/ecdh',
    parameter: { name: 'publicKey', bytes: PUBLIC_KEY_BYTES, help: 'Of another node: x and y' },
    help: 'What the key of the node and that of another have in common. What is no point of the curve must be refused: a chosen one would tell something about the key.',
    answers: [{ bytes: SHARED_BYTES, help: 'the x coordinate of the common point, without hashing' }],
  },
}

/** The longest answer is a public key in hex within a short object; who sends more has something else in mind. */
export const MAX_ANSWER_BYTES = 1_024
const MAX_DATA_BYTES = 65

export function encodeParameter(
  { parameter }: SignerOperation,
  value: Uint8Array | undefined,
): string | undefined {
  return parameter && value && JSON.stringify({ [parameter.name]: formatData(value) })
}

/** `{"result": "0x…"}`; undefined: it is something else. */
export function decodeAnswer({ answers }: SignerOperation, text: string): Uint8Array | undefined {
  try {
    const { result }: { readonly result?: unknown } = JSON.parse(text) ?? {}
    if (typeof result !== 'string') return undefined
    const bytes = parseDataLenient(result, MAX_DATA_BYTES)
    return answers.some((answer) => answer.bytes === bytes.length) ? bytes : undefined
  } catch {
    return undefined
  }
}

/** `64 bytes or 65 bytes`, for sentences. */
export function lengthsOf({ answers }: SignerOperation): string {
  return answers.map(({ bytes }) => `${bytes} bytes`).join(' or ')
}

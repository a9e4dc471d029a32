/**
 * The three operations that a node asks of the program with its key, over HTTP. A signer plugin has the same three.
 * docs/extend/signer.md is generated from these rows.
 */

import { PUBLIC_KEY_BYTES } from '#types/curve.ts'
import { HASH_BYTES } from '#types/hash.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'

export type SignerOperationName = 'publicKey' | 'sign' | 'ecdh'

export interface SignerOperation {
  readonly name: SignerOperationName
  /** Appended to the signer URL. */
  readonly path: string
  /** The member of the JSON object sent by POST; without it, the request is a GET. */
  readonly parameter?: { readonly name: string; readonly bytes: number; readonly help: string }
  readonly help: string
  /** The allowed answers by number of bytes. */
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
    parameter: { name: 'digest', bytes: HASH_BYTES, help: 'the digest to sign, without further hashing' },
    help: 'An ECDSA signature over a digest.',
    answers: [
      { bytes: 64, help: 'r and s; the node derives recovery id and low s' },
      { bytes: 65, help: 'the same with a recovery id, which is ignored' },
    ],
  },
  ecdh: {
    name: 'ecdh',
    path: '/ecdh',
    parameter: { name: 'publicKey', bytes: PUBLIC_KEY_BYTES, help: 'public key of another node: x and y' },
    help: 'ECDH between the node key and another public key. Refuse anything but points of the curve: other values leak the key.',
    answers: [{ bytes: SHARED_BYTES, help: 'the x coordinate of the common point, without hashing' }],
  },
}

/** The longest answer is a public key in hex in a short object. */
export const MAX_ANSWER_BYTES = 1_024
const MAX_DATA_BYTES = 65

export function encodeParameter(
  { parameter }: SignerOperation,
  value: Uint8Array | undefined,
): string | undefined {
  return parameter && value && JSON.stringify({ [parameter.name]: formatData(value) })
}

/** Decodes `{"result": "0x…"}`; returns undefined for anything else. */
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

/** Formats `64 bytes or 65 bytes` for messages. */
export function lengthsOf({ answers }: SignerOperation): string {
  return answers.map(({ bytes }) => `${bytes} bytes`).join(' or ')
}

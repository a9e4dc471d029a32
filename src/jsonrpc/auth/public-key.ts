import { createPublicKey, type KeyObject } from 'node:crypto'
import { usageFault } from '#config/faults.ts'
import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import type { Clock } from '#platform/clock.ts'
import { readTextBounded } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'

export const TOKEN_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'] as const
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number]

const FILE_MAX_BYTES = 64 * 1024
const RSA_MIN_BITS = 2048
const RELOAD_PERIOD_MS = 1_000
const PEM_BLOCK = /-----BEGIN ([^-\n]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/

/** OpenSSL curve names. The specification allows secp256k1 with ES256; RFC 8812 calls that ES256K. */
const CURVES: Readonly<Record<'ES256' | 'ES384' | 'ES512', readonly string[]>> = {
  ES256: ['prime256v1', 'secp256k1'],
  ES384: ['secp384r1'],
  ES512: ['secp521r1'],
}

/** Throws if the key is unusable now; later a broken file leaves the previous key in use. */
export function createPublicKeyFile(
  path: string,
  algorithm: TokenAlgorithm,
  clock: Pick<Clock, 'wallMs'>,
  log: Log,
) {
  /** Null if the file could not be read. */
  let seen: string | null = readPublicKeyText(path)
  let key = parsePublicKey(seen, path, algorithm)
  let lookedAtMs = clock.wallMs()

  const look = (): void => {
    let text: string | null = null
    try {
      // Compares content rather than size and time, so no edit can go unnoticed.
      text = readPublicKeyText(path)
      if (text === seen) return
      key = parsePublicKey(text, path, algorithm)
      log.info('Reloaded token issuer key', { path })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      // Logged once per change, not once per second.
      if (text === seen) return
      log.warn(JSONRPC_PROBLEMS.publicKeyUnusable, { reason: error.message })
    } finally {
      seen = text
    }
  }

  return {
    /** Reads the file again if the last look is at least a second ago. */
    keyAt(nowMs: number): KeyObject {
      // Also after the clock was set back.
      if (Math.abs(nowMs - lookedAtMs) >= RELOAD_PERIOD_MS) {
        lookedAtMs = nowMs
        look()
      }
      return key
    },
  }
}

export function loadPublicKey(path: string, algorithm: TokenAlgorithm): KeyObject {
  return parsePublicKey(readPublicKeyText(path), path, algorithm)
}

function readPublicKeyText(path: string): string {
  try {
    return readTextBounded(path, FILE_MAX_BYTES)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw usageFault(`Authentication RPC public key could not be read: ${error.message}`)
  }
}

function parsePublicKey(text: string, path: string, algorithm: TokenAlgorithm): KeyObject {
  const [, label = '', base64] = PEM_BLOCK.exec(text) ?? []
  if (base64 === undefined) throw formatFault(path, 'holds no PEM block')
  if (label.includes('PRIVATE KEY')) {
    throw formatFault(path, 'holds a private key, which belongs to the issuer of tokens alone')
  }
  let key: KeyObject
  try {
    key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
  } catch {
    throw formatFault(path, `holds a PEM block '${label}' that is not a SubjectPublicKeyInfo`)
  }
  requireFit(key, path, algorithm)
  return key
}

function requireFit(key: KeyObject, path: string, algorithm: TokenAlgorithm): void {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (algorithm.startsWith('RS')) {
    const bits = details?.modulusLength ?? 0
    if (type !== 'rsa') throw fitFault(path, algorithm, `an RSA key, and this one is ${describe(key)}`)
    if (bits < RSA_MIN_BITS) {
      throw fitFault(path, algorithm, `an RSA key of at least ${RSA_MIN_BITS} bits, and this one has ${bits}`)
    }
    return
  }
  const curves = CURVES[algorithm as keyof typeof CURVES]
  if (type !== 'ec' || !curves.includes(details?.namedCurve ?? '')) {
    throw fitFault(
      path,
      algorithm,
      `a key on the curve ${curves.join(' or ')}, and this one is ${describe(key)}`,
    )
  }
}

function describe(key: KeyObject): string {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  return type === 'ec' ? `on the curve ${details?.namedCurve}` : `of the kind ${type}`
}

function formatFault(path: string, what: string): Fault {
  return usageFault(
    `Authentication RPC public key file format is invalid: ${path} ${what}. Export the public key with: openssl pkey -in private-key.pem -pubout`,
  )
}

function fitFault(path: string, algorithm: TokenAlgorithm, needs: string): Fault {
  return usageFault(
    `The public key in ${path} does not fit the algorithm ${algorithm}: it needs ${needs}. Give the key of the issuer of tokens, or choose its algorithm with the option jwt-algorithm.`,
  )
}

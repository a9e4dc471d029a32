/**
 * The program that holds the node key, if an option names one: waited for at start, tested before use, and watched. It
 * implements the same interface as a plugin, so peers and consensus see no difference.
 */
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { P2P_PROBLEMS } from '#p2p/log-problems.ts'
import { keyAgreement, type NodeKeyHolder } from '#p2p/node-key.ts'
import { keyOptions } from '#p2p/options.ts'
import { type Clock, pause } from '#platform/clock.ts'
import { readTextBounded } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import { type Random, systemRandom } from '#platform/random.ts'
import { defineRoom } from '#platform/room.ts'
import { Secret } from '#platform/secret.ts'
import { equalBytes } from '#types/bytes.ts'
import { addressFromPublicKey, KEY_RANDOM_BYTES, privateKeyFromRandom } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { HASH_BYTES } from '#types/hash.ts'
import type { Recover } from '#types/transaction/signature.ts'
import { createCheckedNodeKey } from './checked-node-key.ts'
import { signerFault } from './faults.ts'
import type { HttpSigner, SignerConfig } from './http-signer.ts'

const MAX_TOKEN_FILE_BYTES = 16 * 1024
const MAX_CA_FILE_BYTES = 1024 * 1024
const START_RETRY_MS = 500

export interface SignerTimes {
  /** How long to wait at start; node and signer are often started together. */
  readonly startWaitMs: number
  /** Polling interval, which detects a missing signer or another key before it is needed. */
  readonly watchMs: number
}

export const SIGNER_TIMES: SignerTimes = { startWaitMs: 30_000, watchMs: 5_000 }

const LOOPBACK = /^(127\.|\[::1\]$|localhost$)/

/** Returns undefined if no option names a signer. */
export function readSignerConfig(settings: Settings): SignerConfig | undefined {
  const url = settings.get(keyOptions.nodeSignerUrl)
  if (url === undefined) return undefined
  const tokenFile = settings.get(keyOptions.nodeSignerTokenFile)
  const caFile = settings.get(keyOptions.nodeSignerCaFile)
  return {
    url,
    readToken: tokenFile === undefined ? undefined : () => readToken(tokenFile),
    ca: caFile === undefined ? undefined : readTextBounded(caFile, MAX_CA_FILE_BYTES),
    timeoutMs: settings.get(keyOptions.nodeSignerTimeoutMs),
  }
}

/** The error never quotes the content. */
function readToken(file: string): Secret<string> {
  const [line = ''] = readTextBounded(file, MAX_TOKEN_FILE_BYTES).split(/\r?\n/, 1)
  const token = line.trim()
  if (/^[\x21-\x7e]+$/.test(token)) return new Secret(token)
  throw usageFault(
    `The first line of ${file} is not a bearer token: it must have only visible ASCII characters.`,
  )
}

/** Warns about plain text sent to another machine; undefined if there is none. */
export function exposureOf(url: string): string | undefined {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return undefined
  return `The signer at ${url} is on another machine and used without TLS: anyone on the path can read its token and forge answers.`
}

/** Opens, tests and closes a signer, for commands. */
export async function trySignerOf(config: SignerConfig, clock: Clock): Promise<TriedSigner> {
  const { recover } = await loadCrypto()
  const signer = await openSigner(config, clock)
  try {
    return await trySigner(signer, holderOf(config), { clock, recover, random: systemRandom })
  } finally {
    signer.close()
  }
}

/** Imported on demand: most nodes have a key file, and main has no other use for an HTTP client. */
async function openSigner(config: SignerConfig, clock: Clock): Promise<HttpSigner> {
  const { createHttpSigner } = await import('#p2p/signer/http-signer.ts')
  return createHttpSigner(config, clock)
}

function holderOf({ url }: SignerConfig): string {
  return `The signer at ${url}`
}

interface SignerNeeds {
  readonly config: SignerConfig
  readonly clock: Clock
  readonly log: Log
  readonly times?: SignerTimes
}

export const SIGNER = defineRoom({
  name: 'signer',
  startDeadlineMs: 90_000,
  stopDeadlineMs: 5_000,
  start: async ({ config, clock, log, times = SIGNER_TIMES }: SignerNeeds, { signal, onStop }) => {
    const exposure = exposureOf(config.url)
    if (exposure !== undefined) log.warn(P2P_PROBLEMS.signerExposed, { reason: exposure })
    const open = async (): Promise<HttpSigner> => {
      const opened = await openSigner(config, clock)
      onStop(() => opened.close())
      return opened
    }
    const { recover } = await loadCrypto()
    const signer = await open()
    const { publicKey, signMs } = await waitFor(signer, { config, clock, log, times, recover, signal })
    log.info('Signer holds the node key', {
      url: config.url,
      address: addressFromPublicKey(publicKey),
      signMs: Math.round(signMs),
    })
    const running = new RunningSigner(config, { publicKey, recover, open })
    const watch = clock.every(times.watchMs, () => void running.look(signer, log), { unref: true })
    onStop(() => watch.cancel())
    return running
  },
})

interface SignerParts {
  readonly publicKey: Uint8Array
  readonly recover: Recover
  readonly open: () => Promise<HttpSigner>
}

export class RunningSigner {
  readonly #config: SignerConfig
  readonly #parts: SignerParts
  #failure: Fault | undefined

  constructor(config: SignerConfig, parts: SignerParts) {
    this.#config = config
    this.#parts = parts
  }

  /** Why the signer is unusable now; undefined if it works. */
  get failure(): string | undefined {
    return this.#failure?.message
  }

  /** Creates a holder for each caller, so consensus signatures do not wait behind handshakes. */
  async holder(): Promise<NodeKeyHolder> {
    const { publicKey, recover, open } = this.#parts
    const signer = await open()
    const held = {
      sign: (digest: Uint8Array) => signer.sign(digest),
      ecdh: async (other: Uint8Array) => {
        // The answer does not reveal which key made it.
        if (this.#failure?.kind === 'SIGNER_REFUSED') throw this.#failure
        return await signer.ecdh(other)
      },
    }
    return createCheckedNodeKey(publicKey, held, recover, holderOf(this.#config))
  }

  /** Never rejects. */
  async look(signer: HttpSigner, log: Log): Promise<void> {
    const { publicKey } = this.#parts
    let failure: Fault | undefined
    try {
      const now = await signer.publicKey()
      if (!equalBytes(now, publicKey)) failure = otherKey(this.#config, publicKey, now)
    } catch (error) {
      failure =
        error instanceof Fault ? error : signerFault('SIGNER_AWAY', `${holderOf(this.#config)} failed.`)
    }
    if (failure !== undefined && failure.kind !== this.#failure?.kind) {
      log.warn(P2P_PROBLEMS.signerFailed, { reason: failure.message })
    }
    if (failure === undefined && this.#failure !== undefined) {
      log.info('Signer answers again', { url: this.#config.url })
    }
    this.#failure = failure
  }
}

async function waitFor(
  signer: HttpSigner,
  {
    config,
    clock,
    log,
    times: { startWaitMs },
    recover,
    signal,
  }: Required<SignerNeeds> & { readonly recover: Recover; readonly signal: AbortSignal },
): Promise<TriedSigner> {
  const untilMs = clock.monotonicMs() + startWaitMs
  let isTold = false
  for (;;) {
    try {
      return await trySigner(signer, holderOf(config), { clock, random: systemRandom, recover })
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'SIGNER_AWAY' || signal.aborted) throw error
      if (clock.monotonicMs() >= untilMs) throw notComing(error, startWaitMs)
      if (!isTold) {
        log.warn(P2P_PROBLEMS.signerAwaited, { reason: error.message, waitSeconds: startWaitMs / 1_000 })
      }
      isTold = true
    }
    await pause(clock, START_RETRY_MS)
  }
}

function notComing(error: Fault, waitedMs: number): Fault {
  const sentence = `${error.message} The node waited ${waitedMs / 1_000} s for it. Start it, or correct ${keyOptions.nodeSignerUrl.flag}.`
  return signerFault('SIGNER_AWAY', sentence, { cause: error })
}

function otherKey(config: SignerConfig, pinned: Uint8Array, now: Uint8Array): Fault {
  const [before, after] = [pinned, now].map((key) => addressFromPublicKey(key))
  return signerFault(
    'SIGNER_REFUSED',
    `${holderOf(config)} now has the key of ${after}, but this node started with the key of ${before} and stopped using it. Restore the key, or restart the node to use the new one.`,
  )
}

export interface TriedSigner {
  readonly publicKey: Uint8Array
  readonly signMs: number
}

/** Calls all three operations with a random digest and key. */
export async function trySigner(
  signer: NodeKeyHolder,
  holder: string,
  { clock, random, recover }: { readonly clock: Clock; readonly random: Random; readonly recover: Recover },
): Promise<TriedSigner> {
  const publicKey = await signer.publicKey()
  const key = createCheckedNodeKey(publicKey, signer, recover, holder)
  const other = keyAgreement(privateKeyFromRandom('secp256k1', random.randomBytes(KEY_RANDOM_BYTES)))
  if (!equalBytes(await key.ecdh(other.publicKey), other.shared(publicKey))) {
    throw signerFault(
      'SIGNER_REFUSED',
      `${holder} does not agree with other nodes on a key: its answer to ecdh must be the x coordinate of the common point, not a hash of it, for the key that it names with publicKey.`,
    )
  }
  const startMs = clock.monotonicMs()
  await key.sign(random.randomBytes(HASH_BYTES))
  return { publicKey, signMs: clock.monotonicMs() - startMs }
}

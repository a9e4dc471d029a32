/**
 * The program that holds the key of this node, where an option names one: waited for at the start, tried before anybody relies
 * on it, and watched. It is a port like that of a plugin: peers and consensus cannot tell.
 */
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { nodeOptions } from '#node/options.ts'
import type { NodeKeyHolder } from '#p2p/node-key.ts'
import { createCheckedNodeKey } from '#p2p/signer/checked-node-key.ts'
import { signerFault } from '#p2p/signer/faults.ts'
import type { HttpSigner, SignerConfig } from '#p2p/signer/http-signer.ts'
import { type TriedSigner, trySigner } from '#p2p/signer/try-signer.ts'
import { type Clock, pause, type Timer } from '#platform/clock.ts'
import { readTextBounded } from '#platform/files/files.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import { Secret } from '#platform/secret.ts'
import { assert } from '#types/assert.ts'
import { equalBytes } from '#types/bytes.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import type { Recover } from '#types/transaction/signature.ts'

const MAX_TOKEN_FILE_BYTES = 16 * 1024
const MAX_CA_FILE_BYTES = 1024 * 1024
const START_RETRY_MS = 500
const START_DEADLINE_MS = 90_000
const STOP_DEADLINE_MS = 5_000

export interface SignerTimes {
  /** Both are often started together. */
  readonly startWaitMs: number
  /** So that it is known to be away, or to have another key, before somebody needs it. */
  readonly watchMs: number
}

export const SIGNER_TIMES: SignerTimes = { startWaitMs: 30_000, watchMs: 5_000 }

const LOOPBACK = /^(127\.|\[::1\]$|localhost$)/

/** undefined: no option names one. */
export function readSignerConfig(settings: Settings): SignerConfig | undefined {
  const url = settings.get(nodeOptions.nodeSignerUrl)
  if (url === undefined) return undefined
  const tokenFile = settings.get(nodeOptions.nodeSignerTokenFile)
  const caFile = settings.get(nodeOptions.nodeSignerCaFile)
  return {
    url,
    readToken: tokenFile === undefined ? undefined : () => readToken(tokenFile),
    ca: caFile === undefined ? undefined : readTextBounded(caFile, MAX_CA_FILE_BYTES),
    timeoutMs: settings.get(nodeOptions.nodeSignerTimeoutMs),
  }
}

/** Nothing of it is quoted, whatever is wrong with it. */
function readToken(file: string): Secret<string> {
  const [line = ''] = readTextBounded(file, MAX_TOKEN_FILE_BYTES).split(/\r?\n/, 1)
  const token = line.trim()
  if (/^[\x21-\x7e]+$/.test(token)) return new Secret(token)
  throw usageFault(
    `The first line of ${file} is no bearer token: it must have visible ASCII characters only.`,
  )
}

/** What is sent to another machine in plain text; undefined: nothing. */
export function exposureOf(url: string): string | undefined {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return undefined
  return `The signer at ${url} is on another machine and asked without TLS: whoever is on the way reads its token, and answers in its place.`
}

/** Opens, asks once and closes: for commands. */
export async function trySignerOf(config: SignerConfig, clock: Clock): Promise<TriedSigner> {
  const { recover } = await loadCrypto()
  const signer = await openSigner(config, clock)
  try {
    return await trySigner(signer, holderOf(config), { clock, recover, random: systemRandom })
  } finally {
    signer.close()
  }
}

/** Loaded when it is needed: most nodes have their key in a file, and main has no other use for an HTTP client. */
async function openSigner(config: SignerConfig, clock: Clock): Promise<HttpSigner> {
  const { createHttpSigner } = await import('#p2p/signer/http-signer.ts')
  return createHttpSigner(config, clock)
}

function holderOf({ url }: SignerConfig): string {
  return `The signer at ${url}`
}

export interface SignerParts {
  readonly clock: Clock
  readonly log: Log
}

/** undefined: no option names one. */
export function createSigner(
  settings: Settings,
  parts: SignerParts,
  times = SIGNER_TIMES,
): NodeSigner | undefined {
  const config = readSignerConfig(settings)
  return config && new NodeSigner(config, parts, times)
}

class NodeSigner {
  readonly #config: SignerConfig
  readonly #parts: SignerParts
  readonly #times: SignerTimes
  readonly #opened: HttpSigner[] = []
  #watch: Timer | undefined
  #key: { readonly publicKey: Uint8Array; readonly recover: Recover } | undefined
  /** Why it cannot be used at the moment. */
  #failure: Fault | undefined

  constructor(config: SignerConfig, parts: SignerParts, times: SignerTimes) {
    this.#config = config
    this.#parts = parts
    this.#times = times
  }

  /** Why it cannot be used at the moment; undefined: it can. */
  get failure(): string | undefined {
    return this.#failure?.message
  }

  /** One for each who asks: votes do not wait behind handshakes. */
  async port(): Promise<NodeKeyHolder> {
    assert(this.#key !== undefined, 'The signer is asked when it has started.')
    const { publicKey, recover } = this.#key
    const signer = await this.#open()
    const held = {
      sign: (digest: Uint8Array) => signer.sign(digest),
      ecdh: async (other: Uint8Array) => {
        // Nobody can tell from the answer by which key it is.
        if (this.#failure?.kind === 'SIGNER_REFUSED') throw this.#failure
        return await signer.ecdh(other)
      },
    }
    return createCheckedNodeKey(publicKey, held, recover, holderOf(this.#config))
  }

  service(): Service {
    return {
      name: 'signer',
      startDeadlineMs: START_DEADLINE_MS,
      stopDeadlineMs: STOP_DEADLINE_MS,
      start: (signal) => this.#start(signal),
      stop: () => {
        this.#watch?.cancel()
        for (const signer of this.#opened) signer.close()
      },
    }
  }

  async #open(): Promise<HttpSigner> {
    const signer = await openSigner(this.#config, this.#parts.clock)
    this.#opened.push(signer)
    return signer
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts
    const exposure = exposureOf(this.#config.url)
    if (exposure !== undefined) log.warn(`${exposure} Give it a certificate, or run it beside the node.`)
    const signer = await this.#open()
    const { recover } = await loadCrypto()
    const { publicKey, signMs } = await this.#waitFor(signer, recover, signal)
    this.#key = { publicKey, recover }
    log.info(`${holderOf(this.#config)} holds the key of this node.`, {
      address: addressFromPublicKey(publicKey),
      signMs: Math.round(signMs),
    })
    this.#watch = clock.every(this.#times.watchMs, () => void this.#look(signer, publicKey), { unref: true })
  }

  async #waitFor(signer: HttpSigner, recover: Recover, signal: AbortSignal): Promise<TriedSigner> {
    const { clock, log } = this.#parts
    const { startWaitMs } = this.#times
    const untilMs = clock.monotonicMs() + startWaitMs
    let isTold = false
    for (;;) {
      try {
        return await trySigner(signer, holderOf(this.#config), { clock, random: systemRandom, recover })
      } catch (error) {
        if (!(error instanceof Fault) || error.kind !== 'SIGNER_AWAY' || signal.aborted) throw error
        if (clock.monotonicMs() >= untilMs) throw notComing(error, startWaitMs)
        if (!isTold) log.warn(`${error.message} The node waits for it, up to ${startWaitMs / 1_000} s.`)
        isTold = true
      }
      await pause(clock, START_RETRY_MS)
    }
  }

  /** Never rejects. */
  async #look(signer: HttpSigner, publicKey: Uint8Array): Promise<void> {
    let failure: Fault | undefined
    try {
      const now = await signer.publicKey()
      if (!equalBytes(now, publicKey)) failure = otherKey(this.#config, publicKey, now)
    } catch (error) {
      failure =
        error instanceof Fault ? error : signerFault('SIGNER_AWAY', `${holderOf(this.#config)} failed.`)
    }
    const { log } = this.#parts
    if (failure !== undefined && failure.kind !== this.#failure?.kind) log.warn(failure.message)
    if (failure === undefined && this.#failure !== undefined) {
      log.info(`${holderOf(this.#config)} answers again.`)
    }
    this.#failure = failure
  }
}

function notComing(error: Fault, waitedMs: number): Fault {
  const sentence = `${error.message} The node waited ${waitedMs / 1_000} s for it. Start it, or correct ${nodeOptions.nodeSignerUrl.flag}.`
  return signerFault('SIGNER_AWAY', sentence, { cause: error })
}

function otherKey(config: SignerConfig, pinned: Uint8Array, now: Uint8Array): Fault {
  const [before, after] = [pinned, now].map((key) => addressFromPublicKey(key))
  return signerFault(
    'SIGNER_REFUSED',
    `${holderOf(config)} has the key of ${after}, and this node started with that of ${before}: nothing is asked of it. Give it the key that it had, or start the node again if it is to have the new one.`,
  )
}

export type { NodeSigner }

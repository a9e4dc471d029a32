/** Asks the program with the node key over HTTP. Callers wrap it with `checked-node-key.ts`. */
import type { NodeKeyHolder } from '#p2p/node-key.ts'
import { type Clock, deadlineSignal, pause } from '#platform/clock.ts'
import { HttpClient, type HttpQuestion, type HttpReply } from '#platform/http-client.ts'
import type { Secret } from '#platform/secret.ts'
import { isPublicKey, PUBLIC_KEY_BYTES } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import {
  decodeAnswer,
  encodeParameter,
  lengthsOf,
  MAX_ANSWER_BYTES,
  SIGNER_OPERATIONS,
  type SignerOperation,
} from './contract.ts'
import { type SignerFaultKind, signerFault } from './faults.ts'

/** A device handles a few requests at a time; more would only wait there. */
export const SIGNER_LIMITS = { connections: 4, underWay: 64 } as const
/** Pause between attempts while nothing listens, for example during a restart of the signer. */
const RETRY_MS = 100
const UNAUTHORIZED = 401

export interface SignerConfig {
  readonly url: string
  /** Read before the first request, and again when the signer refuses the token. */
  readonly readToken: (() => Secret<string>) | undefined
  /** PEM; undefined for the certificates that Node trusts. */
  readonly ca: string | undefined
  readonly timeoutMs: number
}

export interface HttpSigner extends NodeKeyHolder {
  close(): void
}

/** Each signer has its own connections, so a busy caller does not delay others. */
export function createHttpSigner(config: SignerConfig, clock: Clock): HttpSigner {
  const { url, ca, timeoutMs, readToken } = config
  const client = new HttpClient({
    url,
    ca,
    maxConnections: SIGNER_LIMITS.connections,
    maxUnderWay: SIGNER_LIMITS.underWay,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  })
  const fault = (kind: SignerFaultKind, what: string, cause?: unknown) =>
    signerFault(kind, `The signer at ${url} ${what}`, { cause })
  let token: Secret<string> | undefined

  /** Retries while nothing listens: a quick restart of the signer costs no signature. */
  async function untilHeard(question: HttpQuestion, signal: AbortSignal): Promise<HttpReply> {
    for (;;) {
      try {
        return await client.ask(question, signal)
      } catch (error) {
        if (!isRefusedConnection(error)) throw error
        await pause(clock, RETRY_MS)
        if (signal.aborted) throw error
      }
    }
  }

  async function reply({ name, path }: SignerOperation, body: string | undefined): Promise<HttpReply> {
    using deadline = deadlineSignal(clock, timeoutMs)
    const ask = () => {
      const headers = token && { authorization: `Bearer ${token.reveal()}` }
      return untilHeard({ path, body, ...(headers && { headers }) }, deadline)
    }
    try {
      token ??= readToken?.()
      const first = await ask()
      if (first.status !== UNAUTHORIZED || readToken === undefined) return first
      token = readToken()
      return await ask()
    } catch (error) {
      if (error instanceof Fault && error.kind === 'HTTP_FAILED') {
        throw fault('SIGNER_AWAY', `does not answer ${name}: ${error.message}.`, error)
      }
      if (!deadline.aborted) throw error
      throw fault('SIGNER_AWAY', `did not answer ${name} within ${timeoutMs} ms.`, error)
    }
  }

  async function ask(operation: SignerOperation, value?: Uint8Array): Promise<Uint8Array> {
    const { status, text } = await reply(operation, encodeParameter(operation, value))
    if (status !== 200) throw fault(kindOf(status), `answered ${operation.name} with ${explain(status)}.`)
    const bytes = decodeAnswer(operation, text)
    if (bytes !== undefined) return bytes
    throw fault(
      'SIGNER_REFUSED',
      `answered ${operation.name} with something else than {"result": "0x…"} of ${lengthsOf(operation)}.`,
    )
  }

  return {
    async publicKey() {
      const bytes = await ask(SIGNER_OPERATIONS.publicKey)
      const key = bytes.length > PUBLIC_KEY_BYTES && bytes[0] === 0x04 ? bytes.subarray(1) : bytes
      if (isPublicKey('secp256k1', key)) return key
      throw fault('SIGNER_REFUSED', 'returned a public key that is not a point of secp256k1.')
    },
    sign: (digest) => ask(SIGNER_OPERATIONS.sign, digest),
    ecdh: (publicKey) => ask(SIGNER_OPERATIONS.ecdh, publicKey),
    close: () => client.close(),
  }
}

/** A busy proxy or device may recover soon. */
function kindOf(status: number): SignerFaultKind {
  return status >= 500 || status === 429 ? 'SIGNER_AWAY' : 'SIGNER_REFUSED'
}

function explain(status: number): string {
  if (status === UNAUTHORIZED || status === 403) return `status ${status}: it refuses the token, or wants one`
  if (status >= 300 && status < 400) return `status ${status}: redirects are not followed`
  return `status ${status}`
}

function isRefusedConnection(error: unknown): boolean {
  const cause = error instanceof Fault ? (error.cause as { readonly code?: string } | undefined) : undefined
  return cause?.code === 'ECONNREFUSED'
}

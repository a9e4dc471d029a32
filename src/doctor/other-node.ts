/** The node of `--against`: the calls to it and the validation of its answers. It may be hostile, or not a node at all. */
import { type Address, parseAddress } from '#types/address.ts'
import { printableLine } from '#types/printable.ts'
import { sentenceOf } from './check.ts'

export type Encoding = 'current' | 'legacy'

/** A member is undefined if the node did not answer the call, or its answer is malformed. */
export interface OtherAnswers {
  readonly genesisHash?: string | undefined
  readonly networkId?: string | undefined
  readonly head?: { readonly number: bigint; readonly timestamp: bigint } | undefined
  readonly forks?: { readonly hash: string; readonly next: bigint } | undefined
  readonly validators?: readonly Address[] | undefined
  /** The message encodings of the validators that it has received messages from. */
  readonly encodings?: readonly Encoding[] | undefined
}

export interface OtherNode extends OtherAnswers {
  readonly url: string
  /** The reason why there is no answer at all. */
  readonly failure: string | undefined
  /** The methods with malformed results. */
  readonly malformed: readonly string[]
  /** The methods that the user of the login may not call. */
  readonly notPermitted: readonly string[]
}

export type Ask = (
  calls: readonly { readonly method: string; readonly params?: readonly unknown[] }[],
) => Promise<readonly { readonly result?: unknown; readonly error?: { readonly code?: number } }[]>

interface Question {
  readonly method: string
  readonly params?: readonly unknown[]
  /** Throws if the result is malformed. */
  decode(result: unknown): OtherAnswers
}

const UNAUTHORIZED = -40100
const MAX_VALIDATORS = 10_000
const HASH = /^0x[0-9a-f]{64}$/
const FORK_HASH = /^0x[0-9a-f]{8}$/
const QUANTITY = /^0x[0-9a-f]{1,16}$/
const NETWORK_ID = /^\d{1,78}$/

const QUESTIONS: readonly Question[] = [
  {
    method: 'eth_getBlockByNumber',
    params: ['0x0', false],
    decode: (block) => ({ genesisHash: textOf(memberOf(block, 'hash'), HASH) }),
  },
  {
    method: 'eth_getBlockByNumber',
    params: ['latest', false],
    decode: (block) => ({
      head: {
        number: BigInt(textOf(memberOf(block, 'number'), QUANTITY)),
        timestamp: BigInt(textOf(memberOf(block, 'timestamp'), QUANTITY)),
      },
    }),
  },
  { method: 'net_version', decode: (id) => ({ networkId: textOf(id, NETWORK_ID) }) },
  {
    method: 'eth_config',
    decode: (config) => {
      const current = memberOf(config, 'current') ?? undefined
      if (current === undefined) return {}
      const hash = textOf(memberOf(current, 'forkId'), FORK_HASH)
      return { forks: { hash, next: timeOf(memberOf(memberOf(config, 'next'), 'activationTime') ?? 0) } }
    },
  },
  {
    method: 'bft_status',
    decode: (status) => ({
      encodings: listOf(memberOf(status, 'validators'))
        .map((each) => memberOf(each, 'encoding'))
        .filter((each) => each === 'current' || each === 'legacy'),
    }),
  },
  ...['qbft', 'ibft'].map((prefix) => ({
    method: `${prefix}_getValidatorsByBlockNumber`,
    params: ['latest'],
    decode: (list: unknown) => ({
      validators: listOf(list).map((each) => parseAddress(textOf(each, /^0x[0-9a-f]{40}$/i))),
    }),
  })),
]

export async function askOther(url: string, ask: Ask): Promise<OtherNode> {
  try {
    const answers = await ask(QUESTIONS)
    const malformed: string[] = []
    const known = QUESTIONS.map(({ method, decode }, index): OtherAnswers => {
      const result = answers[index]?.result ?? undefined
      if (result === undefined) return {}
      try {
        return decode(result)
      } catch {
        malformed.push(method)
        return {}
      }
    })
    const notPermitted = QUESTIONS.filter((_, index) => answers[index]?.error?.code === UNAUTHORIZED)
    return {
      ...Object.assign({}, ...known),
      url,
      failure: undefined,
      malformed,
      notPermitted: [...new Set(notPermitted.map(({ method }) => method))],
    }
  } catch (thrown) {
    return { url, failure: printableLine(sentenceOf(thrown)), malformed: [], notPermitted: [] }
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
}

function textOf(value: unknown, form: RegExp): string {
  if (typeof value !== 'string' || !form.test(value)) throw new TypeError('It has another form.')
  return value
}

function timeOf(value: unknown): bigint {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new TypeError('It is not a time.')
  return BigInt(value as number)
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > MAX_VALIDATORS) throw new TypeError('It is not such a list.')
  return value
}

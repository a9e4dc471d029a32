import type { RecordedEntry, RecordedFrame } from './entry.ts'
import { isMissing } from './judge.ts'
import type { StandIn } from './play.ts'
import { type TranslateToken, withTokens } from './recorded-tokens.ts'

/*
 * Whether a caller may call does not depend on what the method does. So each missing method is played by one that
 * is here and that nobody else in the recording may call, with grants and no-auth lists renamed alike; compared is
 * only who is refused.
 */
const METHODS: Readonly<Record<string, string>> = {
  txpool_besuStatistics: 'web3_sha3',
  eth_subscribe: 'net_services',
}
/** For methods that only `*:*` grants. */
const GRANTED_TO_NOBODY = 'admin_changeLogLevel'

const GRANTS: Readonly<Record<string, string>> = {
  'txpool:besuStatistics': 'web3:sha3',
  'eth:subscribe': 'net:services',
  // Their namespaces have guests now.
  'net:*': 'net:version',
  'web3:*': 'web3:clientVersion',
}

/** A method to add to the no-auth list of WebSocket beside the one that it stands for. */
export const FREED_STAND_IN = METHODS.eth_subscribe!

export function changeGrant(grant: string): string {
  return GRANTS[grant] ?? grant
}

/** The credentials file with renamed grants. */
export function changeGrants(credentials: string): string {
  return credentials.replace(/"([\w*]+:[\w*]+)"/g, (_, grant: string) => `"${changeGrant(grant)}"`)
}

/** Over HTTP these are not enabled for anybody, in the recording too. */
const NEVER_OVER_HTTP: ReadonlySet<string> = new Set(['eth_subscribe', 'eth_unsubscribe'])
const NEVER: ReadonlySet<string> = new Set(['miner_start'])
/** Granted to the same user as eth_subscribe but never free of a token, for which no method is left. */
const WITHOUT_STAND_IN = 'eth_unsubscribe'

export function authStandIn(recorded: RecordedEntry, translate: TranslateToken): StandIn {
  const { transport, frames } = recorded
  const played = frames === undefined ? recorded : { ...recorded, frames: framesWithStandIn(frames) }
  const rename = (method: string): string => {
    const stays =
      !isMissing(method) || NEVER.has(method) || (transport === 'http' && NEVER_OVER_HTTP.has(method))
    return stays ? method : (METHODS[method] ?? GRANTED_TO_NOBODY)
  }
  const renamed = JSON.stringify(played).replace(
    /(\\"method\\":\\")(\w+)/g,
    (_, before: string, method: string) => before + rename(method),
  )
  const entry = withTokens(JSON.parse(renamed) as RecordedEntry, translate)
  return { entry, recordedBody: onlyRefusals, actualBody: onlyRefusals }
}

/** A message and its answer stand together. */
function framesWithStandIn(frames: readonly RecordedFrame[]): RecordedFrame[] {
  const isLeftOut = (at: number): boolean => frames[at]?.out?.includes(WITHOUT_STAND_IN) ?? false
  return frames.filter((_, at) => !isLeftOut(at) && !isLeftOut(at - 1))
}

/** Each answer is either a refusal or is not. */
function onlyRefusals(body: string): string {
  if (!/^[[{]/.test(body)) return body
  const answers = JSON.parse(body) as unknown
  return JSON.stringify(Array.isArray(answers) ? answers.map(onlyRefusal) : onlyRefusal(answers))
}

function onlyRefusal(answer: unknown): unknown {
  const { id, error } = answer as { id: unknown; error?: { code: number } }
  return error?.code === -40100 ? answer : { id, isAllowed: true }
}

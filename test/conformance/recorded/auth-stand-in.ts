import type { RecordedEntry } from './entry.ts'
import { isMissing } from './judge.ts'
import type { StandIn } from './play.ts'
import { type TranslateToken, withTokens } from './recorded-tokens.ts'

/**
 * Authorization does not depend on the method's behaviour. So each missing method is replaced by an existing one that
 * no other caller of the recording may call, and grants and no-auth lists are renamed accordingly. Only refusals are
 * compared.
 */
const METHODS: Readonly<Record<string, string>> = {
  txpool_besuStatistics: 'web3_sha3',
}
/** For methods that only `*:*` grants. */
const GRANTED_TO_NOBODY = 'admin_changeLogLevel'

const GRANTS: Readonly<Record<string, string>> = {
  'txpool:besuStatistics': 'web3:sha3',
  // The namespace now has a stand-in method.
  'web3:*': 'web3:clientVersion',
}

export function changeGrant(grant: string): string {
  return GRANTS[grant] ?? grant
}

/** The credentials file with renamed grants. */
export function changeGrants(credentials: string): string {
  return credentials.replace(/"([\w*]+:[\w*]+)"/g, (_, grant: string) => `"${changeGrant(grant)}"`)
}

const NEVER: ReadonlySet<string> = new Set(['miner_start'])

export function authStandIn(recorded: RecordedEntry, translate: TranslateToken): StandIn {
  const rename = (method: string): string => {
    const stays = !isMissing(method) || NEVER.has(method)
    return stays ? method : (METHODS[method] ?? GRANTED_TO_NOBODY)
  }
  const renamed = JSON.stringify(recorded).replace(
    /(\\"method\\":\\")(\w+)/g,
    (_, before: string, method: string) => before + rename(method),
  )
  const entry = withTokens(JSON.parse(renamed) as RecordedEntry, translate)
  return { entry, recordedBody: onlyRefusals, actualBody: onlyRefusals }
}

/** Reduces each answer to whether it is a refusal. */
function onlyRefusals(body: string): string {
  if (!/^[[{]/.test(body)) return body
  const answers = JSON.parse(body) as unknown
  return JSON.stringify(Array.isArray(answers) ? answers.map(onlyRefusal) : onlyRefusal(answers))
}

function onlyRefusal(answer: unknown): unknown {
  const { id, error } = answer as { id: unknown; error?: { code: number } }
  return error?.code === -40100 ? answer : { id, isAllowed: true }
}

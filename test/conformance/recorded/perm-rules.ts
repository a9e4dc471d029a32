/** Allowlist answers that differ from the recording on purpose, and the recording's values on this machine. */
import type { RecordedEntry } from './entry.ts'
import type { FileEntry } from './permissions-file.ts'
import type { Rule } from './play.ts'

export type PermEntry = RecordedEntry & FileEntry

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

const callOf = ({ request }: RecordedEntry): Call => JSON.parse(request!)

export function answering(decision: string, answer: (entry: RecordedEntry) => object): Rule {
  return {
    decision,
    instead: (entry) => {
      const response = JSON.stringify({ jsonrpc: '2.0', id: callOf(entry).id, ...answer(entry) })
      return { ...entry, response }
    },
  }
}

export const error = (message: string, code = -32000) => ({ error: { code, message } })
const SUCCESS = { result: 'Success' }

const NO_TEXT = answering('6', () => error('Request contains an invalid account'))
/** A reload does not write, so a read-only file can be loaded. */
const READ_ONLY = answering('8', () => SUCCESS)
/** Account c, which is not on the list. */
const UNPERMITTED = answering('refusal-sentence', () => ({
  error: {
    code: -32007,
    message: 'Sender account not authorized to send transactions',
    data: 'The account 0xf17f52151ebef6c7334fad080c5704d77216b732 may not send this transaction.',
  },
}))
const OLD_NAME = answering('whitelist-names', (entry) => {
  const list = callOf(entry).method.includes('Nodes') ? 'Node' : 'Account'
  return error(`${list} allowlist has not been enabled`)
})
const STRANGE_PEER = answering('3', () => error('Cannot add a non-permitted node as a peer'))
const TWICE = answering('7', () => error('Request contains duplicate nodes'))
const COUNTED_ONCE = answering('7', ({ response }) => ({ result: [...new Set(resultOf(response))] }))
const HOST_NAME = answering('J21', () => error('request contains an invalid node'))
const UNKNOWN_HOST = answering('9', () => error('Request contains an invalid node'))
const UNKNOWN_PEER = answering('9', () => error('Cannot resolve enode DNS hostname', -32100))
const IN_SYNC = answering('9', () => SUCCESS)
const NAMES_STAY = answering('9', ({ response }) => ({ result: namesAsWritten(resultOf(response)) }))

const BOTH = 'perm-both-lists.json'
const KEPT = 'perm-nodes-only-dns-update.json'

const RULES: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries([24, 25, 26, 27, 40, 41].map((index) => [`${BOTH}#${index}`, NO_TEXT])),
  ...Object.fromEntries([76, 77, 95].map((index) => [`${BOTH}#${index}`, HOST_NAME])),
  [`${BOTH}#66`]: TWICE,
  [`${BOTH}#99`]: UNPERMITTED,
  [`${BOTH}#106`]: UNPERMITTED,
  [`${BOTH}#107`]: STRANGE_PEER,
  [`${BOTH}#132`]: READ_ONLY,
  'perm-nodes-only-dns.json#20': STRANGE_PEER,
  ...Object.fromEntries([7, 9, 12, 14, 17].map((index) => [`${KEPT}#${index}`, NAMES_STAY])),
  [`${KEPT}#10`]: UNKNOWN_HOST,
  [`${KEPT}#19`]: IN_SYNC,
  [`${KEPT}#20`]: STRANGE_PEER,
  [`${KEPT}#21`]: UNKNOWN_PEER,
  'perm-not-enabled.json#14': OLD_NAME,
  'perm-not-enabled.json#15': OLD_NAME,
}

export function permRule(name: string, entry: PermEntry): Rule | undefined {
  const rule = RULES[name]
  if (rule !== undefined || !/"perm_getNodesAllowlist"/.test(entry.request ?? '')) return rule
  const nodes = resultOf(entry.response)
  return new Set(nodes).size < nodes.length ? COUNTED_ONCE : undefined
}

/** The same call with each node once, if it names one twice in two forms and was accepted. */
export function dedupedNodes(entry: PermEntry): PermEntry | undefined {
  const call = callOf(entry)
  if (call.method !== 'perm_addNodesToAllowlist' || !entry.response!.includes('Success')) return undefined
  const [nodes] = call.params as [string[]]
  const once = [...new Set(nodes.map((node) => node.toLowerCase()))]
  if (once.length === nodes.length) return undefined
  return { ...entry, request: JSON.stringify({ ...call, params: [once] }) }
}

/** Too long for a DNS query, so no server is asked. */
const NOWHERE = `${'n'.repeat(64)}.invalid`

/** The recorded machine's name was vm. Here only localhost is this machine. */
export function spelledHere(recording: string, entry: PermEntry): PermEntry {
  const request = entry.request?.replaceAll('no-such-host.invalid', NOWHERE).replaceAll('@vm:', '@localhost:')
  const file = recording === KEPT ? entry.file && filedHere(entry.file) : entry.file
  return { ...entry, ...(request && { request }), ...(file && { file }) }
}

/** Names stay as written, and unknown ones are refused. */
function filedHere(file: string): string {
  const nodes = /^nodes-allowlist=(.*)$/m.exec(file)![1]!
  return file.replace(nodes, JSON.stringify(namesAsWritten(JSON.parse(nodes))))
}

function namesAsWritten(nodes: readonly string[]): string[] {
  return nodes
    .filter((node) => !node.startsWith(`enode://${'bb'.repeat(64)}@127.0.0.1:`))
    .map((node) => node.replace('@vm:', '@localhost:'))
}

function resultOf(response: string | null | undefined): string[] {
  const { result } = JSON.parse(response ?? '{}') as { result?: string[] }
  return result ?? []
}

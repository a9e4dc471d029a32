/** A plugin's declaration as plain data: created in its thread, and untrusted on main until it is checked. */

import { API_VERSION, type OptionDeclaration, type Plugin, type PluginDefinition } from './define-plugin.ts'
import { pluginFault } from './faults.ts'

export interface Declaration {
  readonly apiVersion: number
  readonly name: string
  readonly version: string
  readonly namespace: string
  readonly options: readonly DeclaredOption[]
  readonly metrics: readonly DeclaredMetric[]
  readonly methods: readonly DeclaredMethod[]
  readonly hooks: readonly Hook[]
  readonly timeouts: Readonly<Record<LifecycleStep, number>>
  readonly admission: DeclaredRule | null
  readonly selection: DeclaredRule | null
  readonly connections: DeclaredRule | null
}

export interface DeclaredOption extends OptionDeclaration {
  readonly name: string
}

export interface DeclaredMetric {
  readonly name: string
  readonly kind: 'counter' | 'gauge'
  readonly help: string
  readonly labels: readonly string[]
}

export interface DeclaredMethod {
  /** The name on the wire. */
  readonly name: string
  readonly summary: string
  readonly params: readonly (readonly [name: string, type: string])[]
  readonly deadlineMs: number
}

export interface DeclaredRule {
  readonly onFailure: 'admit' | 'refuse'
  readonly deadlineMs: number
}

export type LifecycleStep = 'register' | 'start' | 'reload' | 'stop'

/** A plugin's other roles. */
export const HOOKS = [
  'block',
  'logs',
  'poolAdded',
  'poolDropped',
  'sync',
  'peers',
  'round',
  'health',
  'signer',
] as const
export type Hook = (typeof HOOKS)[number]

const LIFECYCLE: readonly LifecycleStep[] = ['register', 'start', 'reload', 'stop']
const LIFECYCLE_MS = { usual: 10_000, most: 120_000 }
const METHOD_MS = { usual: 10_000, most: 30_000 }
/** Less than the pool and peers wait, so the rule's own onFailure applies if it is late. */
const RULE_MS = { usual: 500, most: 1_500 }
const SELECTION_MS = { usual: 50, most: 1_000 }
const MOST_OF_A_KIND = 100
const MOST_CHARACTERS = 2_000

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const NAMESPACE = /^[a-z][a-z0-9]*$/
const METRIC = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/
const METHOD = /^[a-z][A-Za-z0-9]*$/
const PARAM = /^(address|hash|data|quantity|text|boolean|number|json)\??$/
/** Counted for every plugin, in addition to its own metrics. */
export const LISTENER_FAILURES = 'listener_failures'
/** The node's API groups; a plugin has its own. */
const OWN_NAMESPACES: ReadonlySet<string> = new Set(
  'admin bft clique debug eea engine eth goquorum ibft miner net perm plugins priv qbft rpc testing trace txpool web3'.split(
    ' ',
  ),
)

/** Runs in the plugin's thread: its definition without the functions. */
export function declare({ apiVersion, definition }: Plugin): unknown {
  const { name, version, namespace = String(name).replaceAll('-', ''), timeouts = {} } = definition
  const list = <Row>(rows: Readonly<Record<string, Row>> = {}) =>
    Object.entries(rows).map(([key, row]) => ({ ...row, name: key }))
  return plain({
    apiVersion,
    name,
    version,
    namespace,
    options: list(definition.options),
    metrics: list(definition.metrics).map((row) => ({ labels: [], ...row })),
    methods: Object.entries(definition.methods ?? {}).map(([key, { summary, params = {}, deadlineMs }]) => ({
      name: `${namespace}_${key}`,
      summary,
      params: Object.entries(params),
      deadlineMs: deadlineMs ?? METHOD_MS.usual,
    })),
    hooks: hooksOf(definition),
    timeouts: Object.fromEntries(
      LIFECYCLE.map((step) => [step, timeouts[`${step}Ms`] ?? LIFECYCLE_MS.usual]),
    ),
    admission: ruleOf(definition.admission, RULE_MS.usual),
    selection: ruleOf(definition.selection, SELECTION_MS.usual),
    connections: ruleOf(definition.connections, RULE_MS.usual),
  })
}

function hooksOf({ on = {}, health, signer }: PluginDefinition): readonly Hook[] {
  const present = { ...on, health, signer } as Readonly<Record<Hook, unknown>>
  return HOOKS.filter((hook) => present[hook] !== undefined)
}

function ruleOf(rule: Partial<DeclaredRule> | undefined, usualMs: number): unknown {
  return rule === undefined ? null : { onFailure: rule.onFailure, deadlineMs: rule.deadlineMs ?? usualMs }
}

/** Omits functions, because they cannot cross to another thread. */
function plain(value: object): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** Runs on main: returns a valid declaration, or throws a sentence that tells the author what to fix. */
export function checkDeclaration(given: unknown, file: string): Declaration {
  const refuse = (what: string): never => {
    throw pluginFault(`The plugin ${file} cannot be used: ${what}.`)
  }
  const declaration = given as Declaration
  const { apiVersion, name, version, namespace, options, metrics, methods, timeouts } = declaration
  if (apiVersion !== API_VERSION) {
    refuse(
      `it was written for version ${String(apiVersion)} of the plugin interface, and this node has ${API_VERSION}; use a version of the plugin that fits`,
    )
  }
  const text = (value: unknown, what: string, pattern?: RegExp): void => {
    const fits =
      typeof value === 'string' && value.length <= MOST_CHARACTERS && (pattern?.test(value) ?? true)
    if (!fits) refuse(`${what} is ${JSON.stringify(value)}`)
  }
  const milliseconds = (value: number, most: number, what: string): void => {
    const fits = Number.isInteger(value) && value > 0 && value <= most
    if (!fits) refuse(`${what} is ${value}, and must be a whole number of milliseconds from 1 to ${most}`)
  }
  text(name, 'its name', NAME)
  text(version, 'its version')
  text(namespace, 'its namespace', NAMESPACE)
  if (OWN_NAMESPACES.has(namespace)) refuse(`the namespace ${namespace} belongs to the node`)
  for (const rows of [options, metrics, methods]) {
    if (rows.length > MOST_OF_A_KIND) refuse(`it declares more than ${MOST_OF_A_KIND} of a kind`)
  }
  for (const option of options) {
    text(option.name, 'the name of an option', NAME)
    text(option.help, `the help of the option ${option.name}`)
    checkDefault(option, refuse)
  }
  for (const metric of metrics) {
    text(metric.name, 'the name of a metric', METRIC)
    text(metric.help, `the help of the metric ${metric.name}`)
    if (metric.kind !== 'counter' && metric.kind !== 'gauge') refuse(`the metric ${metric.name} has no kind`)
    if (metric.name === LISTENER_FAILURES) refuse(`the metric ${metric.name} is the node's`)
    if (metric.name.endsWith('_total'))
      refuse(`the name of the metric ${metric.name} ends as counters do without asking`)
    for (const label of metric.labels) text(label, `a label of the metric ${metric.name}`, METRIC)
  }
  for (const method of methods) {
    text(method.name.slice(namespace.length + 1), 'the name of a method', METHOD)
    text(method.summary, `the summary of ${method.name}`)
    milliseconds(method.deadlineMs, METHOD_MS.most, `the deadline of ${method.name}`)
    for (const [param, type] of method.params) text(type, `the type of ${param} in ${method.name}`, PARAM)
  }
  for (const step of LIFECYCLE) milliseconds(timeouts[step], LIFECYCLE_MS.most, `the time-out of ${step}`)
  for (const kind of ['admission', 'selection', 'connections'] as const) {
    const rule = declaration[kind]
    if (rule === null) continue
    if (rule.onFailure !== 'admit' && rule.onFailure !== 'refuse') {
      refuse(`${kind} needs onFailure, the verdict if it fails: 'admit' or 'refuse'`)
    }
    milliseconds(
      rule.deadlineMs,
      kind === 'selection' ? SELECTION_MS.most : RULE_MS.most,
      `the deadline of ${kind}`,
    )
  }
  return declaration
}

const DEFAULT_TYPES = {
  text: 'string',
  integer: 'number',
  boolean: 'boolean',
  list: 'object',
  secret: 'undefined',
} as const

function checkDefault({ name, type, default: given }: DeclaredOption, refuse: (what: string) => void): void {
  const expected = DEFAULT_TYPES[type]
  if (expected === undefined)
    refuse(`the option ${name} has no type of text, integer, boolean, list and secret`)
  if (type === 'secret' && given !== undefined) refuse(`the option ${name} is a secret and has a default`)
  const fits = given === undefined || (type === 'list' ? Array.isArray(given) : typeof given === expected)
  if (!fits) refuse(`the default of the option ${name} is not of type ${type}`)
}

/** Describes the plugin's roles in a log line. */
export function describeDeclaration(declaration: Declaration): string {
  const { methods, hooks, metrics, admission, selection, connections } = declaration
  const rules = Object.entries({ admission, selection, connections }).flatMap(([kind, rule]) =>
    rule === null ? [] : [`${kind} (${rule.onFailure}s without an answer within ${rule.deadlineMs} ms)`],
  )
  const parts = [
    ...(methods.length > 0 ? [`methods ${methods.map(({ name }) => name).join(', ')}`] : []),
    ...rules,
    ...hooks.map((hook) => (hook === 'signer' || hook === 'health' ? hook : `listens to ${hook}`)),
    ...(metrics.length > 0 ? [`${metrics.length} metrics`] : []),
  ]
  return parts.length === 0 ? 'nothing' : parts.join('; ')
}

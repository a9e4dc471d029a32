/** Plays a scenario on an engine, and lists all observable results, one per line. */

import { decodeFrames } from '#evm/call-tree.ts'
import type { Engine, EngineSession } from '#evm/engine.ts'
import { decodeOutcome } from '#evm/outcome.ts'
import { createStateLookup } from '#evm/state-lookup.ts'
import { formatData } from '#types/hex.ts'
import { readStateChanges } from '#types/state-changes.ts'
import type { Action, Scenario } from './scenario.ts'
import type { World } from './world.ts'

export interface Played {
  readonly lines: readonly string[]
  readonly transactions: number
  /** Number of transactions by result. */
  readonly endings: ReadonlyMap<string, number>
}

export async function play(engine: Engine, world: World, scenario: Scenario): Promise<Played> {
  const { block, rules, options, actions } = scenario
  const session = engine.open(block, rules, createStateLookup(world.state), options)
  const lines: string[] = []
  const endings = new Map<string, number>()
  const checkpoints: number[] = []
  let transactions = 0
  for (const action of actions) {
    lines.push(`# ${action.kind}`)
    if (action.kind === 'run') {
      const { outcomes, refusal } = await session.run(action.transactions)
      for (const record of outcomes) {
        const { error } = decodeOutcome(record)
        endings.set(error, (endings.get(error) ?? 0) + 1)
        append(lines, describeOutcome(record))
      }
      if (refusal !== undefined) endings.set(refusal.reason, (endings.get(refusal.reason) ?? 0) + 1)
      transactions += outcomes.length
      lines.push(`refusal ${JSON.stringify(refusal)}`)
    } else await perform(session, action, checkpoints, lines)
    lines.push(`used ${session.gasUsed} ${session.blobGasUsed}`)
    append(lines, describeChanges(session.changes()))
  }
  const changes = session.finish()
  if (scenario.actions.length > 0) append(lines, describeChanges(changes))
  return { lines, transactions, endings }
}

async function perform(
  session: EngineSession,
  action: Exclude<Action, { kind: 'run' }>,
  checkpoints: number[],
  lines: string[],
): Promise<void> {
  switch (action.kind) {
    case 'systemCall':
      append(lines, describeOutcome(await session.systemCall(action.to, action.input)))
      break
    case 'credit':
      session.credit(action.to, action.wei)
      lines.push(`has code ${session.hasCode(action.to)}`)
      break
    case 'checkpoint':
      checkpoints.push(session.checkpoint())
      break
    case 'revert':
      if (checkpoints.length > 0) session.revert(checkpoints.at(-1)!)
      break
  }
}

/** Not a spread call: a call can have more frames than a function can have arguments. */
function append(lines: string[], more: readonly string[]): void {
  for (const line of more) lines.push(line)
}

function describeOutcome(record: Uint8Array): string[] {
  const { output, logs, frames, changes, ...plain } = decodeOutcome(record)
  const logLines = logs.map(
    ({ address, topics, data }) => `log ${address} ${topics.join(' ')} ${formatData(data)}`,
  )
  const frameLines = (frames === undefined ? [] : decodeFrames(frames)).map(
    ({ input, output: result, ...frame }) => {
      return `frame ${values(frame)} ${formatData(input)} ${formatData(result)}`
    },
  )
  return [
    `outcome ${values(plain)}`,
    `output ${formatData(output)}`,
    ...logLines,
    ...frameLines,
    ...(changes === undefined ? [] : describeChanges(changes).map((line) => `its ${line}`)),
  ]
}

function values(record: object): string {
  return Object.entries(record)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

/** Sorts the changes and removes duplicates, because order means nothing and the same code may occur twice. */
export function describeChanges(changes: Uint8Array): string[] {
  const lines: string[] = []
  const add = (kind: string, length: number) => (bytes: Uint8Array, offset: number) => {
    const entry = formatData(bytes.subarray(offset, offset + length))
    lines.push(`${kind} ${entry}`)
  }
  readStateChanges(changes, {
    destroyed: add('a-destroyed', 20),
    account: add('b-account', 92),
    storage: add('c-storage', 84),
    code: (bytes, offset, length) => add('d-code', 36 + length)(bytes, offset),
  })
  return [...new Set(lines)].sort()
}

import { deepStrictEqual, match, ok, strictEqual } from 'node:assert'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { TestNetwork } from './bft/core/test-network.fixture.ts'
import { StallWatch } from './stall-watch.ts'

async function watched(isValidator = true) {
  const network = new TestNetwork({ protocol: 'qbft', validators: 4 })
  await network.start()
  await network.advance(5_000)
  const coreState = { ...network.nodes[0]!.core.state()!, isValidator }
  const clock = createFakeClock()
  const lines: string[] = []
  const log = createLog({ level: 'INFO', destination: { write: (line) => lines.push(line) } })
  const metrics = createMetrics({ prefix: 'cairn_', clock, onSourceError: () => undefined })
  const state = { coreState, cause: 'Nobody is there.' }
  const watch = new StallWatch({
    clock,
    log,
    metrics,
    coreState: () => state.coreState,
    cause: () => state.cause,
  })
  watch.note(coreState.context.height, isValidator)
  const told = (level: string) =>
    lines
      .map((line) => JSON.parse(line))
      .filter((line) => line.level === level)
      .map(
        ({ msg, fields }) =>
          `${msg}${fields.cause === undefined ? '' : ` ${fields.seconds} ${fields.cause}`}`,
      )
  return { state, clock, watch, metrics, told }
}

test('a stalled chain logs its cause every minute until it moves', async () => {
  const { state, clock, watch, metrics, told } = await watched()
  // A period of 2 s, and three rounds of 4 s.
  clock.advance(14_000)
  deepStrictEqual([watch.stall(), told('WARN')], [undefined, []])
  clock.advance(131_000)
  deepStrictEqual(watch.stall(), { seconds: 145, cause: 'Nobody is there.' })
  const warnings = told('WARN')
  strictEqual(warnings.length, 3)
  match(warnings[0]!, /^Chain stalled 15 Nobody is there\.$/)
  const stalled = async () =>
    (await metrics.exposition()).body.includes('cairn_consensus_stalled_seconds 145')
  ok(await stalled())
  const { context } = state.coreState
  state.coreState = { ...state.coreState, context: { ...context, height: context.height + 1 } }
  watch.note(context.height + 1, true)
  clock.advance(10_000)
  strictEqual(watch.stall(), undefined)
  ok(!(await stalled()))
  watch.stop()
})

test('a node that is not a validator logs that once and reports no stall', async () => {
  const { state, clock, watch, told } = await watched(false)
  const { height } = state.coreState.context
  clock.advance(600_000)
  watch.note(height, false)
  deepStrictEqual([watch.stall(), told('WARN')], [undefined, []])
  strictEqual(told('INFO').length, 1)
  match(told('INFO')[0]!, /^Node is not a validator/)
  watch.note(height, true)
  match(told('INFO')[1]!, /^Node is a validator$/)
  watch.stop()
})

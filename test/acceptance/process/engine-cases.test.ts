/* The Engine API of the real program gives the answers that docs/reference/engine-cases.md lists. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINE_CASES, prepareChain } from './engine-cases/cases.ts'
import { EngineWorld } from './engine-cases/engine-world.ts'

test('every case of the Engine API has its documented answer', async (t) => {
  const chain = await prepareChain(await EngineWorld.start(t))
  const wrong: string[] = []
  for (const [group, cases] of Object.entries(ENGINE_CASES)) {
    for (const { name, answer, run } of cases) {
      const given = await run(chain)
      if (given !== answer) wrong.push(`${group}: ${name}: ${given} instead of ${answer}`)
    }
  }
  assert.deepEqual(wrong, [])
})

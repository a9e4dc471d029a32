import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '#platform/log/log.ts'
import { chooseEngine } from './choose-engine.ts'
import { BLOCK, configOf, rulesOf, SHANGHAI, stateOf } from './engine.fixture.ts'
import { createNativeEngine } from './engine-native.ts'

const ABSENT = () => createNativeEngine('/nowhere/cairn_engine.node')
const native = createNativeEngine()
/** Tests also run without the native engine. */
const skip = native.ok ? false : `not built: ${native.sentence}`

function logOf() {
  const lines: string[] = []
  const log = createLog({
    level: 'INFO',
    fd: 1,
    format: 'PLAIN',
    colour: false,
    destination: { write: (line) => lines.push(line) },
  })
  return { log, lines }
}

test('without a native engine the js engine runs, and one log line says why', async () => {
  for (const requested of [undefined, '']) {
    const { log, lines } = logOf()
    assert.equal((await chooseEngine(requested, log, { loadNative: ABSENT })).name, 'js')
    assert.equal(lines.length, 1)
    assert.match(lines[0]!, /engine=js reason="the native engine does not load: There is no \/nowhere/)
  }
})

test('the requested engine runs', async () => {
  const { log, lines } = logOf()
  assert.equal((await chooseEngine('js', log)).name, 'js')
  assert.match(lines[0]!, /engine=js reason=CAIRN_ENGINE/)
})

test('an engine that is not available is refused, never silently replaced', async () => {
  const { log } = logOf()
  const refused = chooseEngine('native', log, { loadNative: ABSENT })
  await assert.rejects(refused, { kind: 'ENGINE_UNAVAILABLE' })
  await assert.rejects(refused, /There is no \/nowhere.*build:native.*CAIRN_ENGINE/)
  await assert.rejects(chooseEngine('fast', log), /js or native, and not fast/)
})

test('the native engine runs if it loads', { skip }, async () => {
  const { log, lines } = logOf()
  assert.equal((await chooseEngine(undefined, log)).name, 'native')
  assert.equal((await chooseEngine('native', log)).name, 'native')
  assert.equal(lines.length, 2)
  assert.match(lines[0]!, /engine=native reason="fastest available"/)
  assert.match(lines[1]!, /engine=native reason=CAIRN_ENGINE/)
})

test('rules that the native engine lacks run on the js engine, which is logged once', { skip }, async () => {
  const { log, lines } = logOf()
  const engine = await chooseEngine(undefined, log)
  for (const rules of [rulesOf({ constantinopleBlock: 0 }), SHANGHAI, rulesOf({ constantinopleBlock: 0 })]) {
    assert.equal(engine.open(BLOCK, rules, stateOf({})).finish().length, 0)
  }
  assert.equal(lines.length, 2)
  assert.match(lines[1]!, /Using the js engine.*constantinople/)
})

test('the js engine is loaded next to the native one only for a chain that may need it', {
  skip,
}, async () => {
  const { log } = logOf()
  const constantinople = rulesOf({ constantinopleBlock: 0 })
  const open = async (config: object) => {
    const { forks } = configOf(config)
    return (await chooseEngine('native', log, { forks })).open(BLOCK, constantinople, stateOf({}))
  }
  await assert.rejects(open({ shanghaiTime: 0 }), { kind: 'UNSUPPORTED_FORK' })
  await assert.rejects(open({ constantinopleBlock: 5, petersburgBlock: 5 }), { kind: 'UNSUPPORTED_FORK' })
  assert.equal((await open({ constantinopleBlock: 5, petersburgBlock: 6 })).finish().length, 0)
  assert.equal((await open({ constantinopleBlock: 5 })).finish().length, 0)
})

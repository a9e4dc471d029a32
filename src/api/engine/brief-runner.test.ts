import assert from 'node:assert/strict'
import { test } from 'node:test'
import { any } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import type { Resources } from '#api/resources.ts'
import type { Engine } from '#evm/engine.ts'
import { evmFault } from '#evm/faults.ts'
import { setUp } from '#jsonrpc/dispatch/dispatch.fixture.ts'
import { Param } from '#jsonrpc/method.ts'
import { BriefRunner } from './brief-runner.ts'

const CHAIN = { head: () => ({}) } as Resources['chain']
const ENGINE = {} as Engine

/** A server whose engine thread says `remote`, and a method that is long for every other value than 'small'. */
function server() {
  const tried: unknown[] = []
  const method = defineMethod({
    name: 'test_work',
    summary: '',
    needs: ['chain', 'engine'],
    params: { value: new Param(any(), 'INVALID_PARAMS') },
    briefKind: ([value]) => (value === 'never' ? undefined : String(value)),
    result: any(),
    run: ({ engine }, { value }) => {
      assert.equal(engine, ENGINE)
      tried.push(value)
      if (value === 'wrong') throw new Error('a mistake of ours')
      if (value !== 'small') throw evmFault('ENGINE_EXHAUSTED', { sentence: 'Too long.' })
      return 'here'
    },
  })
  const resources = { chain: CHAIN } as const
  const remoteEngine = { headSequence: () => 1, execute: async () => '"remote"' }
  const { dispatch, counted } = setUp([method], {
    resources,
    remoteEngine,
    brief: new BriefRunner(resources, ENGINE),
  })
  const ask = async (...params: unknown[]) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'test_work', params }
    const answer = await dispatch(JSON.stringify(message))
    assert(answer.kind === 'single' && typeof answer.body === 'string')
    const { result, error } = JSON.parse(answer.body)
    return result ?? error.code
  }
  return { ask, tried, counted }
}

test('a short call is answered on the server thread', async () => {
  const { ask, tried } = server()
  assert.equal(await ask('small'), 'here')
  assert.deepEqual(tried, ['small'])
})

test('a long call goes to an engine thread, and similar calls are not tried again', async () => {
  const { ask, tried, counted } = server()
  assert.equal(await ask('long'), 'remote')
  assert.equal(await ask('long'), 'remote')
  assert.equal(await ask('small'), 'here')
  assert.deepEqual(tried, ['long', 'small'])
  assert.equal(counted.length, 3)
})

test('a call that the method declares long is not tried', async () => {
  const { ask, tried } = server()
  assert.equal(await ask('never'), 'remote')
  assert.deepEqual(tried, [])
})

test('any other failure is the answer', async () => {
  const { ask } = server()
  assert.equal(await ask('wrong'), -32603)
  assert.equal(await ask(null), -32602)
})

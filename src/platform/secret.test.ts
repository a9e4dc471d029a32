import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, inspect } from 'node:util'
import { Fault } from '#types/fault.ts'
import { createLog, type LogFormat } from './log/log.ts'
import { Secret } from './secret.ts'

const VALUE = 'correct horse battery staple'
const secret = new Secret(VALUE)

test('a secret reveals its value only on purpose', () => {
  assert.equal(secret.reveal(), VALUE)
})

test('a secret never leaks through text, JSON, inspection, errors or cloning', () => {
  const nested = { a: [{ b: new Map([['key', secret]]) }], secret }
  const texts = [
    `${secret}`,
    `${secret} and more`,
    String(secret),
    JSON.stringify(nested),
    inspect(nested, { showHidden: true, depth: null, getters: true }),
    format('%s %j %o %O %d', secret, secret, secret, nested, secret),
    new Error(`bad password ${secret}`).stack,
    Object.entries(secret).join(),
    inspect(structuredClone(nested), { depth: null }),
  ]
  for (const text of texts) assert.ok(!text?.includes(VALUE), text)
  assert.equal(`${secret}`, '[secret]')
  assert.equal(JSON.stringify({ secret }), '{"secret":"[secret]"}')
})

for (const logFormat of ['PLAIN', 'JSON'] satisfies LogFormat[]) {
  test(`a secret nested anywhere in log fields does not reach a ${logFormat} line`, () => {
    const lines: string[] = []
    const destination = { write: (line: string) => void lines.push(line) }
    const log = createLog({ level: 'ALL', format: logFormat, destination })
    const err = new Fault('X', { sentence: `got ${secret}`, secret }, { cause: new Error(`c ${secret}`) })
    log.relay('ERROR', `login with ${secret}`, {
      err,
      secret,
      deep: { list: [secret], set: new Set([secret]) },
    })
    log.info('map', {
      map: new Map([['k', { secret }]]),
      json: { toJSON: () => ({ secret }) },
      [`${secret}`]: 1,
    })
    log.relay('WARN', 'thrown', { err: secret })
    const text = lines.join('')
    assert.ok(text.includes('[secret]'))
    assert.ok(!text.includes('horse'), text)
  })
}

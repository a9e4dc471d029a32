import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Envelope, readMessage } from './envelope.ts'

function single(text: string): Envelope {
  const message = readMessage(Buffer.from(text))
  assert(message.kind === 'single', `${text} is a single request`)
  return message.envelope
}

function batch(text: string): Envelope[] {
  const message = readMessage(Buffer.from(text))
  assert(message.kind === 'batch', `${text} is a batch`)
  return Array.from({ length: message.batch.size }, (_, index) => message.batch.element(index))
}

function idOf(source: string): string {
  const envelope = single(`{"jsonrpc":"2.0","method":"m","params":[],"id":${source}}`)
  assert(envelope.kind === 'request')
  return envelope.id
}

test('a request has id, method and parameters', () => {
  assert.deepEqual(single('{"jsonrpc":"2.0","id":1,"method":"m","params":[1,"a",null]}'), {
    kind: 'request',
    id: '1',
    method: 'm',
    params: [1, 'a', null],
  })
})

test('ids come back as they were written', () => {
  for (const id of [
    '0',
    '1',
    '-5',
    '1.5',
    '1.0',
    '9007199254740993',
    '123456789012345678901234567890',
    'null',
  ]) {
    assert.equal(idOf(id), id)
  }
  for (const id of ['""', '"abc"', '"\\u0000"', '"é\\n\\"/"', '"\\ud800"']) assert.equal(idOf(id), id)
})

test('ids that are not integers are written as a Java double', () => {
  const spellings = {
    '1e3': '1000.0',
    '1E+3': '1000.0',
    '0.1234567890123456789': '0.12345678901234568',
    '1e7': '1.0E7',
    '12345678.5': '1.23456785E7',
    '0.0001': '1.0E-4',
    '0.001': '0.001',
    '1e100': '1.0E100',
    '-0.0': '-0.0',
    '-0': '0',
  }
  for (const [written, answered] of Object.entries(spellings)) assert.equal(idOf(written), answered)
})

test('an id beyond all doubles keeps its text', () => {
  assert.equal(idOf('1e999'), '1e999')
})

test('the id is the last one of the request itself', () => {
  const ids = (text: string) => (single(text) as { id: string }).id
  assert.equal(ids('{"method":"m","params":[{"id":2.5}],"id":1.0}'), '1.0')
  assert.equal(ids('{"id":1.0,"method":"m","params":[{"id":2.5}]}'), '1.0')
  assert.equal(ids('{"id":1.5,"method":"m","id":7}'), '7')
  assert.equal(ids('{"id":7,"method":"m","id":1.50}'), '1.5')
  assert.equal(ids('{"method":"id","x":"id","\\u0069d" : 1.0 }'), '1.0')
  assert.equal(ids('{"method":"a\\"id\\": 3.0","id":2.0}'), '2.0')
})

test('each element of a batch has its own id', () => {
  const elements = batch('[{"method":"a","id":1.0},[{"id":9}],3.5,{"method":"b","id":18446744073709551616}]')
  assert.deepEqual(
    elements.map((element) => (element.kind === 'notification' ? undefined : element.id)),
    ['1.0', 'null', 'null', '18446744073709551616'],
  )
})

test('any integer comes back exactly, wherever it stands', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.json(), fc.json(), (id, before, after) => {
      const text = `{"a":${before},"id" :\t${id} ,"method":"m","params":[${after}]}`
      assert.equal((single(text) as { id: string }).id, String(id))
    }),
  )
})

test('no id makes a notification, null does not', () => {
  assert.deepEqual(single('{"jsonrpc":"2.0","method":"m"}'), { kind: 'notification' })
  assert.equal(single('{"jsonrpc":"2.0","method":"m","id":null}').kind, 'request')
})

test('parameters may be absent or null', () => {
  for (const params of ['', ',"params":null', ',"params":[]']) {
    const envelope = single(`{"method":"m","id":1${params}}`)
    assert(envelope.kind === 'request')
    assert.deepEqual(envelope.params, [])
  }
})

test('a number or a boolean counts as a method name', () => {
  for (const [method, name] of [
    ['5', '5'],
    ['true', 'true'],
    ['""', ''],
  ]) {
    const envelope = single(`{"method":${method},"id":7}`)
    assert(envelope.kind === 'request')
    assert.equal(envelope.method, name)
  }
})

test('a message that is not a request is invalid, and only an integer id is returned', () => {
  const cases: Record<string, string> = {
    null: 'null',
    '{}': 'null',
    '{"id":7}': '7',
    '{"id":9007199254740993,"method":null}': '9007199254740993',
    '{"id":"s"}': 'null',
    '{"id":1.5}': 'null',
    '{"id":1.0}': 'null',
    '{"method":{},"id":7}': '7',
    '{"method":[],"id":7}': '7',
    '{"method":"m","params":{},"id":1}': '1',
    '{"method":"m","params":"x","id":1}': '1',
    '{"method":"m","params":1,"id":1}': '1',
    '{"method":"m","params":{}}': 'null',
    '{"jsonrpc":{},"method":"m","id":1}': '1',
    '{"jsonrpc":[],"method":"m","id":1}': '1',
    '{"method":"m","id":{}}': 'null',
    '{"method":"m","id":[1]}': 'null',
    '{"method":"m","id":true}': 'null',
    '{"method":"m","id":false}': 'null',
  }
  for (const [text, id] of Object.entries(cases))
    assert.deepEqual(single(text), { kind: 'invalid', id }, text)
})

test('the version is not looked at as long as it is no object or list', () => {
  for (const version of ['"1.0"', '2', 'null', 'true']) {
    assert.equal(single(`{"jsonrpc":${version},"method":"m","id":1}`).kind, 'request')
  }
})

test('inherited property names are not members', () => {
  assert.deepEqual(single('{"__proto__":{"method":"m","id":1}}'), { kind: 'invalid', id: 'null' })
})

test('a byte order mark, comments and repeated members are accepted', () => {
  for (const text of [
    '\ufeff{"method":"a/*b","id":1}',
    '{/*c*/"method":/* "x" */"a/*b","id":1}',
    '// first\n{"method":"x","method":"a/*b",// "\r"id":1}//end',
    '{"method":"a/*b","id":1/**/}',
  ]) {
    assert.deepEqual(single(text), { kind: 'request', id: '1', method: 'a/*b', params: [] }, text)
  }
})

test('comments are accepted in messages that people write, of up to 1 MiB', () => {
  const commented = (count: number) => `{"method":"m",${'/*"*/'.repeat(count)}"id":1}`
  assert.equal(single(commented(200_000)).kind, 'request')
  assert.equal(readMessage(Buffer.from(commented(210_000))).kind, 'unreadable')
})

test('input that is not JSON, or neither object nor list, is unreadable', () => {
  for (const text of [
    '',
    '  ',
    'hello',
    '1',
    'true',
    '"x"',
    '{"id":1',
    '{"id":1,}',
    "{'id':1}",
    '{"id":1}{"id":2}',
    '{"id":1} xyz',
    '{"id":1}/*',
    '{"id":1}/ ',
    '{"id":01}',
    '# comment\n{"id":1}',
  ]) {
    assert.equal(readMessage(Buffer.from(text)).kind, 'unreadable', text)
  }
})

test('invalid UTF-8 is unreadable, and U+FFFD itself is a character', () => {
  const bytes = Buffer.concat([Buffer.from('{"method":"'), Buffer.from([0xff]), Buffer.from('","id":1}')])
  assert.equal(readMessage(bytes).kind, 'unreadable')
  assert.equal(single('{"method":"\ufffd","id":1}').kind, 'request')
})

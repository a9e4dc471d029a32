import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstDifference } from './compare-json.ts'
import { parseConversation } from './conversation.ts'
import { playConversation } from './play.ts'

test('a conversation has scenes, each with its options', () => {
  const scenes = parseConversation('// note\n>> 1\n<< 2\n\n// options: --a=1 --b\n>> 3\n<<\n')
  assert.deepEqual(scenes, [
    { options: [], exchanges: [{ note: 'note', line: 2, request: '1', answer: '2', told: [] }] },
    { options: ['--a=1', '--b'], exchanges: [{ note: 'note', line: 6, request: '3', answer: '', told: [] }] },
  ])
})

test('a conversation that makes no sense names its line', () => {
  for (const text of ['>> 1\n>> 2', '// a\n<< 2', '// a\n{}', '\n>> 1']) {
    assert.throws(() => parseConversation(text), /line [12]/, text)
  }
})

test('playing reports for every exchange whether the answer matched', async () => {
  const played = await playConversation(
    '>> 1\n<< {"a":1}\n// options: --x\n>> 2\n<< {"a":2}',
    (options) => async (request) => `{"a":${options.length === 0 ? request : 7}}`,
  )
  assert.deepEqual(
    played.map(({ difference }) => difference),
    [undefined, 'a is 7, expected 2'],
  )
})

test('JSON is compared by value, numbers by their text', () => {
  const same = [
    ['{"a":1,"b":[]}', '{ "b" : [ ], "a" : 1 }'],
    ['', ''],
  ] as const
  for (const [expected, actual] of same) assert.equal(firstDifference(expected, actual), undefined)
  const different = {
    '1 1.0': 'the answer is 1.0, expected 1',
    '9007199254740993 9007199254740992': 'the answer is 9007199254740992, expected 9007199254740993',
    '{"a":{"b":[1,2]}} {"a":{"b":[1,3]}}': 'a.b[1] is 3, expected 2',
    '{"a":1} {}': 'a is missing',
    '{} {"a":null}': 'a is too much: null',
    '[1] [1,2]': 'the answer has 2 elements, expected 1',
    '{} []': 'the answer is […], expected {…}',
    '"1" 1': 'the answer is 1, expected "1"',
  }
  for (const [pair, sentence] of Object.entries(different)) {
    const [expected = '', actual = ''] = pair.split(' ')
    assert.equal(firstDifference(expected, actual), sentence)
  }
  assert.equal(firstDifference('{"a":1}', ''), 'expected {"a":1}, got nothing')
})

test('places that differ from run to run can be left out', () => {
  const ignores = (path: string) => path === 'result.id' || path === 'time'
  assert.equal(firstDifference('{"result":{"id":1}}', '{"result":{"id":2},"time":3}', { ignores }), undefined)
})

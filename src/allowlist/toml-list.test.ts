import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'smol-toml'
import { atOnce } from '#platform/next-turn.fixture.ts'
import { changeTomlList, findTomlList, lineOfElement } from './toml-list.ts'

const KEY = 'accounts-allowlist'

/** Returns the file without the values `removed` and with `added`. */
function change(text: string, removed: readonly string[], added: readonly string[]): string {
  const list = atOnce(findTomlList(text, KEY))
  assert(list, 'the list is found')
  const values = parse(text)[KEY] as string[]
  return atOnce(changeTomlList(list, (index) => !removed.includes(values[index]!), added))
}

test('an element is added in the layout of the last one', () => {
  const cases: [before: string, after: string][] = [
    [`${KEY}=[]`, `${KEY}=["n"]`],
    [`${KEY} = [ ]\n`, `${KEY} = [ "n"]\n`],
    [`${KEY}=["a"]`, `${KEY}=["a","n"]`],
    [`${KEY}=["a", "b"]`, `${KEY}=["a", "b", "n"]`],
    [`${KEY}=["a", "b", ]`, `${KEY}=["a", "b", "n", ]`],
    [`${KEY}=["a",\n  "b"]\nx=1`, `${KEY}=["a",\n  "b",\n  "n"]\nx=1`],
    [`${KEY}=[\r\n\t"a",\r\n]`, `${KEY}=[\r\n\t"a",\r\n\t"n",\r\n]`],
    [`${KEY}=[\n  # nobody yet\n]`, `${KEY}=[\n  # nobody yet\n"n"]`],
    [`${KEY}=[\n 'a' # Alice\n]`, `${KEY}=[\n 'a', # Alice\n "n"\n]`],
    [`${KEY}=[\n "a"\n # Bob\n , "b"]`, `${KEY}=[\n "a"\n # Bob\n , "b", "n"]`],
  ]
  for (const [before, after] of cases) assert.equal(change(before, [], ['n']), after)
})

test('an element is removed with the comment after it, and comments on their own lines stay', () => {
  const text = `# top
${KEY} = [
  # staff
  "a", # Alice
  "b",
  # guests
  "c" # Carol
] # end
`
  assert.equal(
    change(text, ['a'], []),
    text.replace('  "a", # Alice\n', ''),
    'the heading of a group stays with the group',
  )
  assert.equal(change(text, ['b'], []), text.replace('  "b",\n', ''))
  assert.equal(
    change(text, ['c'], []),
    `# top\n${KEY} = [\n  # staff\n  "a", # Alice\n  "b"\n  # guests\n] # end\n`,
  )
  assert.equal(change(text, ['a', 'b', 'c'], []), `# top\n${KEY} = [\n  # staff\n  # guests\n] # end\n`)
})

test('in one line the first kept element takes the place of the first removed one', () => {
  assert.equal(change(`${KEY}=["a", "b", "c"]`, ['a'], []), `${KEY}=["b", "c"]`)
  assert.equal(change(`${KEY}=["a", "b", "c"]`, ['b', 'c'], []), `${KEY}=["a"]`)
  assert.equal(change(`${KEY}=["a", # x\n "b", "c"]`, ['b'], []), `${KEY}=["a", # x\n "c"]`)
})

test('only the top-level key is the list, even if its name occurs elsewhere', () => {
  const text = `
other = """
${KEY} = ["x"]
"""
'q.${KEY}' = 1
a.${KEY} = ["x"]
deep = [ { ${KEY} = ["]"] }, '''${KEY}=[''' ] # ${KEY} = ["x"]
when = 1979-05-27 07:32:00
"${KEY}" = ["y"]
[table]
${KEY} = ["z"]
`
  assert.deepEqual(
    atOnce(findTomlList(text, KEY))?.elements.map(({ token }) => token),
    ['"y"'],
  )
  assert.equal(atOnce(findTomlList(`[table]\n${KEY} = ["z"]\n`, KEY)), undefined)
  assert.equal(atOnce(findTomlList(`${KEY} = "z"\n`, KEY)), undefined)
  assert.equal(atOnce(findTomlList(`${KEY} = ["z", 1]\n`, KEY)), undefined)
})

test('an element knows its line', () => {
  const text = `#\n${KEY}=["a",\n#\n"b"]`
  const lines = atOnce(findTomlList(text, KEY))?.elements.map((element) => lineOfElement(text, element))
  assert.deepEqual(lines, [2, 4])
})

const trivia = fc
  .array(fc.constantFrom(' ', '\t', '\n', '\r\n', '# "a", [x]\n', "#'\n"), { maxLength: 4 })
  .map((parts) => parts.join(''))
const value: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', '#', ']', ',', '\\', '"', "'")
const quoted = fc.tuple(value, fc.nat(3)).map(([text, form]) => {
  if (form === 0 && text !== "'") return `'${text}'`
  if (form === 1 && text !== "'") return `'''${text}'''`
  return form === 2 ? `"""${text.replace(/[\\"]/g, '\\$&')}"""` : JSON.stringify(text)
})
const foreign = fc.constantFrom(
  '',
  'x = 1\n',
  '# y\n',
  "y = [[1, 'x'], [] # ]\n]\n",
  'z = { a = "}" }\n',
  'm = """"""\n',
)

test('changing a list of any layout changes its values and nothing else', () => {
  const seed = process.env.CAIRN_SEED === undefined ? {} : { seed: Number(process.env.CAIRN_SEED) }
  fc.assert(
    fc.property(
      foreign,
      fc.array(fc.tuple(trivia, quoted, trivia), { maxLength: 6 }),
      trivia,
      fc.boolean(),
      foreign,
      fc.array(value, { maxLength: 3 }),
      fc.array(value, { maxLength: 3 }),
      (before, elements, end, hasComma, after, removed, added) => {
        const inner = elements.map(([lead, token, gap]) => `${lead}${token}${gap}`).join(',')
        const comma = hasComma && elements.length > 0 ? ',' : ''
        const behind = after === before ? '' : after
        const text = `${before}${KEY} = [${inner}${comma}${end}] # end\n${behind}`
        const { [KEY]: old, ...others } = parse(text)
        const changed = change(text, removed, added)
        const { [KEY]: list, ...same } = parse(changed)
        const kept = (old as string[]).filter((item) => !removed.includes(item))
        assert.deepEqual(list, [...kept, ...added], changed)
        assert.deepEqual(same, others)
        assert.ok(changed.startsWith(before) && changed.endsWith(`] # end\n${behind}`), changed)
      },
    ),
    { numRuns: 500, ...seed },
  )
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CORPORA, type Corpus, type CorpusResult } from './words/corpora.ts'
import { markSentence } from './words/habits.ts'
import { exceededLimits, lowerRatchet, type Ratchet } from './words/ratchet.ts'
import { markdownSentences, plainSentences } from './words/sentences.ts'
import { sourceTexts } from './words/source-texts.ts'

const MARKED: Record<string, string[]> = {
  'headless clause': [
    'What a validator signed is in the file.',
    'Those that left are dropped.',
    'It answers whoever was away.',
  ],
  'genitive chain': ['The thread of peers was restarted.', 'It is the end of the list of the keys of users.'],
  tell: ['Subscribers were not told of a block.'],
  'old word': ['It is made by X, who is no validator.', 'It is encrypted so that nobody reads it.'],
  'where for if': ['Where a chain has two heads, the longer wins.', 'It is absent where nobody listens.'],
  'hidden actor': ['The password is asked for at the terminal.'],
  'own word': ['The validator makes a block every two seconds.', 'The import goes on.'],
}

suite('marked sentences', () => {
  for (const [habit, sentences] of Object.entries(MARKED))
    test(`a sentence with the habit "${habit}" is marked`, () => {
      for (const sentence of sentences) {
        const found = markSentence(sentence, false)
        assert.ok(found?.habits.includes(habit), `${sentence}: ${found?.habits}`)
      }
    })

  test('plain sentences are not marked', () => {
    for (const sentence of [
      'A validator records every signature in X.',
      'Proposer X is not a validator at block 120.',
      'Minimum max-fee-per-gas to enter the pool, in wei.',
      'There is no block with this number.',
      'What does the node do after a reorg?',
      'Returns the directory where the chain is stored.',
    ])
      assert.equal(markSentence(sentence, true), undefined, sentence)
  })

  test('a fragment is marked only in comments', () => {
    assert.deepEqual(markSentence('Of one request, in bytes.', true)?.habits, ['fragment'])
    assert.equal(markSentence('Of one request, in bytes.', false), undefined)
  })
})

suite('sentences', () => {
  test('text is split at full stops, and values become X', () => {
    assert.deepEqual(
      plainSentences('The block `0x1` is new. Import it, e.g. with a file. See 1.2 for more.'),
      ['The block X is new.', 'Import it, e.g. with a file.', 'See 1.2 for more.'],
    )
  })

  test('Markdown gives paragraphs, items and cells without code', () => {
    const page =
      '# The first heading\n\nText over\ntwo lines.\n\n```sh\nrun this code here\n```\n- an item [with link](x.md)\n- `code`\n\n| a cell with words | x |\n|---|---|'
    assert.deepEqual(markdownSentences(page), [
      'The first heading',
      'Text over two lines.',
      'an item with link',
      'a cell with words',
    ])
  })
})

suite('texts of a source file', () => {
  const source = [
    '/** The first comment of it. */',
    "const a = 'some text of several words' // A comment behind it.",
    '// Two lines of comment',
    '// are one text.',
    "log.info('A message of the log', { err: 'inner' })",
    'test(`a name with $' + "{x('deep')} inside`, () => assert(/'no string here'/.test(y)))",
    "const row = { help: 'First half ' + 'and second half', other: 'not a help text' }",
  ].join('\n')

  test('the scanner separates comments, help, log messages and test names', () => {
    const texts = sourceTexts(source)
    assert.deepEqual(
      texts.comments.map((text) => text.trim()),
      ['The first comment of it.', 'A comment behind it.', 'Two lines of comment\nare one text.'],
    )
    assert.deepEqual(texts.log, ['A message of the log'])
    assert.deepEqual(texts.tests, ['a name with X inside'])
    assert.deepEqual(texts.help, ['First half and second half'])
    assert.deepEqual(texts.strings, ['some text of several words', 'inner', 'deep', 'not a help text'])
  })
})

suite('the ratchet', () => {
  const marks = (count: number): CorpusResult => ({
    sentences: 100,
    marked: Array.from({ length: count }, () => ({ path: 'x', sentence: 'y', habits: [], score: 1 })),
  })
  const all = <Value>(value: Value) =>
    Object.fromEntries(CORPORA.map((corpus) => [corpus, value])) as Record<Corpus, Value>

  test('a limit falls to the measured percentage and never below its target', () => {
    const lowered = lowerRatchet({ ...all(marks(20)), README: marks(0) }, { ...all(30), log: 10 } as Ratchet)
    assert.equal(lowered.guides, 20.3)
    assert.equal(lowered.README, 3)
    assert.equal(lowered.log, 10)
  })

  test('a corpus above its limit is reported', () => {
    assert.deepEqual(exceededLimits(all(marks(5)), all(5)), [])
    assert.match(exceededLimits({ ...all(marks(5)), log: marks(6) }, all(5)).join(), /^log: 6 %/)
  })
})

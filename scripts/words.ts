// npm run words -- [--worst 50] [--corpus comments] [--path src/pool] [--checkout <folder>] [--lower]
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { CORPORA, type MarkedSentence, measure, percentage, TARGETS } from './words/corpora.ts'
import { lowerRatchet, readRatchet, writeRatchet } from './words/ratchet.ts'

const { values: options } = parseArgs({
  options: {
    worst: { type: 'string', default: '20' },
    corpus: { type: 'string' },
    path: { type: 'string', default: '' },
    checkout: { type: 'string', default: join(import.meta.dirname, '..') },
    lower: { type: 'boolean', default: false },
  },
})

const measured = measure(resolve(options.checkout))
const ratchet = readRatchet()

console.log('corpus        sentences  marked       %   limit  target')
for (const corpus of CORPORA) {
  const { sentences, marked } = measured[corpus]
  const columns = [
    sentences,
    marked.length,
    percentage(measured[corpus]).toFixed(1),
    ratchet[corpus],
    TARGETS[corpus],
  ]
  console.log(corpus.padEnd(14) + columns.map((value) => String(value).padStart(7)).join(' '))
}
console.log("geth's comments                         1.2\nTigerBeetle's documentation             1.2\n")

const shown = CORPORA.filter((corpus) => options.corpus === undefined || corpus === options.corpus)
const worst = shown
  .flatMap((corpus) => measured[corpus].marked)
  .filter(({ path }) => path.startsWith(options.path))
  .sort((a, b) => b.score - a.score || a.sentence.length - b.sentence.length)
for (const { path, habits, sentence } of withoutRepeats(worst).slice(0, Number(options.worst)))
  console.log(`${path} (${habits.join(', ')})\n  ${sentence}`)

if (options.lower) writeRatchet(lowerRatchet(measured, ratchet))

function withoutRepeats(marked: readonly MarkedSentence[]): MarkedSentence[] {
  return [...new Map(marked.map((mark) => [mark.sentence, mark])).values()]
}

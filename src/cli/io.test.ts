import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { escapingIo, type Streams } from './io.ts'

function written(columns: number | undefined, noColor: string | undefined): string {
  let out = ''
  const streams: Streams = {
    out: (text) => {
      out += text
    },
    err: () => undefined,
    draw: () => undefined,
    readInput: () => '',
    readSecretLine: () => undefined,
    columns,
  }
  const before = process.env.NO_COLOR
  if (noColor === undefined) delete process.env.NO_COLOR
  else process.env.NO_COLOR = noColor
  try {
    const spans = [
      { text: 'a\u001b[2J', style: 'error' },
      { text: ' b', style: 'plain' },
    ] as const
    escapingIo(streams).outStyled([spans])
  } finally {
    if (before === undefined) delete process.env.NO_COLOR
    else process.env.NO_COLOR = before
  }
  return out
}

test('results have colours on a terminal only, unless NO_COLOR is set, and their text is escaped', () => {
  equal(written(80, undefined), '\u001b[31ma\\u001b[2J\u001b[0m b\n')
  for (const text of [written(undefined, undefined), written(80, '1')]) {
    equal(text, 'a\\u001b[2J b\n')
  }
})

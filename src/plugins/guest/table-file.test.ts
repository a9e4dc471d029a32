import assert from 'node:assert/strict'
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { TableFile } from './table-file.ts'

function fileOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-table-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return join(folder, 'x.table')
}

const bytes = (text: string) => Uint8Array.from(Buffer.from(text))

test('stored values are there when the file is opened again', async (t) => {
  const file = fileOf(t)
  const table = await TableFile.open(file)
  await Promise.all([table.put('a', bytes('1')), table.put('b', bytes('2')), table.put('a', bytes('3'))])
  await table.delete('b')
  await table.put('c', new Uint8Array(0))
  await table.close()
  const again = await TableFile.open(file)
  assert.deepEqual(again.keys(), ['a', 'c'])
  assert.deepEqual(again.get('a'), bytes('3'))
  assert.deepEqual(again.get('c'), new Uint8Array(0))
  assert.equal(again.get('b'), undefined)
  await again.close()
})

test('a record cut at any byte is as if it had not been written', async (t) => {
  const file = fileOf(t)
  const table = await TableFile.open(file)
  await table.put('kept', bytes('x'.repeat(50)))
  const whole = statSync(file).size
  await table.put('torn', bytes('y'.repeat(50)))
  await table.close()
  for (let size = statSync(file).size - 1; size >= whole; size -= 7) {
    truncateSync(file, size)
    const again = await TableFile.open(file)
    assert.deepEqual(again.keys(), ['kept'])
    assert.equal(again.cutBytes, size - whole)
    await again.put('next', bytes('z'))
    await again.close()
    const last = await TableFile.open(file)
    assert.deepEqual(last.keys(), ['kept', 'next'])
    await last.delete('next')
    await last.close()
    truncateSync(file, whole)
    appendFileSync(file, new Uint8Array(size - whole).fill(0xff))
  }
})

test('a file of mostly obsolete values is rewritten', async (t) => {
  const file = fileOf(t)
  const table = await TableFile.open(file)
  const value = new Uint8Array(10_000)
  for (let turn = 0; turn < 100; turn++) await table.put('same', value.fill(turn))
  assert(statSync(file).size < 300_000)
  await table.close()
  const again = await TableFile.open(file)
  assert.equal(again.get('same')?.[0], 99)
  await again.close()
})

test('a value over the limit is refused, and stored values stay', async (t) => {
  const table = await TableFile.open(fileOf(t), { maxBytes: 100 })
  await table.put('a', new Uint8Array(90))
  await assert.rejects(table.put('b', new Uint8Array(20)), /is full: it holds 100 bytes/)
  await assert.rejects(table.put('', new Uint8Array(1)), /A key has 1 to 1024 bytes/)
  await table.put('a', new Uint8Array(99))
  assert.deepEqual(table.keys(), ['a'])
  await table.close()
})

test('a record with one wrong byte is not read, nor are the records after it', async (t) => {
  const file = fileOf(t)
  const table = await TableFile.open(file)
  await table.put('kept', bytes('x'.repeat(50)))
  const whole = statSync(file).size
  await table.put('wrong', bytes('y'.repeat(50)))
  await table.close()
  const content = readFileSync(file)
  content[content.length - 1]! ^= 1
  writeFileSync(file, content)
  const again = await TableFile.open(file)
  assert.deepEqual(again.keys(), ['kept'])
  assert.equal(again.cutBytes, content.length - whole)
  await again.close()
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bigintToBytes } from '#types/bytes.ts'
import { formatQuantity } from '#types/hex.ts'
import { StackText } from './stack-text.ts'

function push(stack: StackText, value: bigint): void {
  // The first byte is not part of the item.
  const bytes = Uint8Array.of(0xee, ...bigintToBytes(value, 32))
  const first = bytes.findIndex((byte, index) => index > 0 && byte !== 0)
  stack.push(bytes, first < 0 ? 1 : first, first < 0 ? 0 : bytes.length - first)
}

function textOf(stack: StackText, from = 0): string {
  return Buffer.from(stack.bytes.subarray(from, stack.end)).toString('latin1')
}

test('a stack has the text of its items after any pushes, drops, duplications and swaps', () => {
  const word = fc.oneof(fc.bigInt(0n, 255n), fc.bigInt(0n, 2n ** 256n - 1n))
  const turn = fc.tuple(fc.constantFrom('push', 'push', 'drop', 'duplicate', 'swap'), word, fc.nat(15))
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 200 }), (turns) => {
      const stack = new StackText()
      const items: string[] = []
      for (const [kind, value, depth] of turns) {
        const reach = Math.min(depth + 1, items.length - (kind === 'swap' ? 1 : 0))
        if (kind === 'push') {
          push(stack, value)
          items.push(formatQuantity(value))
        } else if (reach < 1) continue
        else if (kind === 'drop') {
          stack.drop(reach)
          items.length -= reach
        } else if (kind === 'duplicate') {
          stack.duplicate(reach)
          items.push(items.at(-reach)!)
        } else {
          stack.swap(reach)
          const [top, other] = [items.length - 1, items.length - 1 - reach]
          ;[items[top], items[other]] = [items[other]!, items[top]!]
        }
        assert.deepEqual(JSON.parse(`[${textOf(stack)}]`), items)
      }
      assert.deepEqual(stack.items(), items)
      const few = Math.min(3, items.length)
      assert.deepEqual(JSON.parse(`[${textOf(stack, stack.startOf(few))}]`), items.slice(items.length - few))
    }),
  )
})

test('an item of a stack is a number, and a cleared stack is empty', () => {
  const stack = new StackText()
  push(stack, 0xdeadbeef9n)
  push(stack, 0n)
  assert.deepEqual([stack.number(2), stack.number(1)], [0xdeadbeef9, 0])
  stack.clear()
  assert.deepEqual([stack.length, textOf(stack)], [0, ''])
})

import { match, strictEqual } from 'node:assert/strict'
import { it } from 'node:test'
import { Joining } from './joining.ts'

const inStep = () => Promise.resolve(true)
const behind = () => Promise.resolve(false)
const overdue = { height: 36, stage: 'waitingForProposal', cause: 'Block 36 waits.' } as const
const notDue = { height: 36, stage: 'waitingForTime', cause: 'Block 36 is not due yet.' } as const

it('a validator that was started does not count before it is as far as its peers', async () => {
  match((await new Joining().reason(notDue, behind)) ?? '', /not been as far as its peers/)
})

it('one that is in step before a block is due counts, and goes on to', async () => {
  const joining = new Joining()
  strictEqual(await joining.reason(notDue, inStep), undefined)
  strictEqual(await joining.reason(overdue, behind), undefined)
})

it('one that comes while its peers are late with a block counts when that block is there', async () => {
  const joining = new Joining()
  match(
    (await joining.reason(overdue, inStep)) ?? '',
    /no block has been made with it since\. Block 36 waits\./,
  )
  match((await joining.reason(overdue, inStep)) ?? '', /no block has been made with it since/)
  strictEqual(await joining.reason({ ...overdue, height: 37 }, inStep), undefined)
})

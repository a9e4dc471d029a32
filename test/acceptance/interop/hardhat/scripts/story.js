/* Plays the scenario of token-story.ts as a Hardhat script. Hardhat networks support neither batches nor subscriptions. */
import { readFileSync } from 'node:fs'
import { network } from 'hardhat'

const { SUPPLY, SENT, RECIPIENT, NOBODY } = process.env
const { abi, bytecode } = JSON.parse(readFileSync('token.json', 'utf8'))

const { ethers, provider } = await network.create()
const [signer] = await ethers.getSigners()
const factory = await ethers.getContractFactory(abi, bytecode, signer)
const token = await factory.deploy(BigInt(SUPPLY))
await token.waitForDeployment()
const address = await token.getAddress()
const filter = await provider.request({ method: 'eth_newFilter', params: [{ address }] })
const estimate = await token.transfer.estimateGas(RECIPIENT, BigInt(SENT))
const receipt = await (await token.transfer(RECIPIENT, BigInt(SENT), { gasLimit: estimate })).wait()
const changes = await provider.request({ method: 'eth_getFilterChanges', params: [filter] })
const logs = await token.queryFilter('Transfer', 0)
// Calls from another account, because a signer calls only for its own.
const failure = await token
  .connect(ethers.provider)
  .transfer.staticCall(RECIPIENT, 1n, { from: NOBODY })
  .catch((error) => error)
const { maxFeePerGas } = await ethers.provider.getFeeData()
const [{ chainId }, nothing] = await Promise.all([ethers.provider.getNetwork(), token.balanceOf(NOBODY)])

console.log(
  JSON.stringify({
    supply: String(await token.totalSupply()),
    balance: String(await token.balanceOf(RECIPIENT)),
    isSuccess: receipt.status === 1,
    found: logs.map(({ args }) => String(args.value)),
    watched: changes.map(({ data }) => data),
    // Its provider hands on what the node answered.
    error: failure.data ? token.interface.parseError(failure.data)?.name : String(failure),
    isEstimateEnough: receipt.gasUsed <= estimate,
    knowsFee: maxFeePerGas !== null,
    batch: [Number(chainId), String(nothing)],
  }),
)

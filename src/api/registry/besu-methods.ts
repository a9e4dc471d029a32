import { rpcError } from '#jsonrpc/errors.ts'

/**
 * Besu's method names by API, including those that the specification spells differently (txpool_client*). If one of
 * these is not served, the answer is "not enabled"; for any other name it is "not found". Clients that probe for
 * features distinguish the two. Own methods are not listed here.
 */
const NAMES: Readonly<Record<string, string>> = {
  admin: `
    addPeer nodeInfo peers removePeer changeLogLevel generateLogBloomCache logsRepairCache logsRemoveCache
  `,
  debug: `
    accountAt accountRange metrics resyncWorldState setHead replayBlock storageRangeAt traceBlock
    traceBlockByHash traceBlockByNumber standardTraceBlockToFile standardTraceBadBlockToFile
    traceTransaction traceCall batchSendRawTransaction getBadBlocks getRawHeader getRawBlock getRawReceipts
    getRawBlockAccessList getRawTransaction
  `,
  engine: `
    getBlobsV1 getBlobsV2 getBlobsV3 getPayloadV1 getPayloadV2 getPayloadV3 getPayloadV4 getPayloadV5
    getPayloadV6 newPayloadV1 newPayloadV2 newPayloadV3 newPayloadV4 newPayloadV5 forkchoiceUpdatedV1
    forkchoiceUpdatedV2 forkchoiceUpdatedV3 forkchoiceUpdatedV4 exchangeTransitionConfigurationV1
    getClientVersionV1 getPayloadBodiesByHashV1 getPayloadBodiesByHashV2 getPayloadBodiesByRangeV1
    getPayloadBodiesByRangeV2 exchangeCapabilities
  `,
  eth: `
    accounts blockNumber call chainId capabilities coinbase config estimateGas createAccessList feeHistory
    gasPrice baseFee blobBaseFee getBalance getBlockAccessList getBlockByHash getBlockByNumber
    getBlockReceipts getBlockTransactionCountByHash getBlockTransactionCountByNumber getCode
    getFilterChanges getFilterLogs getLogs maxPriorityFeePerGas getProof getStorageAt getStorageValues
    getTransactionByBlockHashAndIndex getTransactionByBlockNumberAndIndex getTransactionByHash
    getTransactionBySenderAndNonce getTransactionCount getTransactionReceipt getUncleByBlockHashAndIndex
    getUncleByBlockNumberAndIndex getUncleCountByBlockHash getUncleCountByBlockNumber newBlockFilter
    newFilter newPendingTransactionFilter protocolVersion sendRawTransaction sendTransaction simulateV1
    subscribe syncing uninstallFilter unsubscribe
  `,
  ibft: `
    discardValidatorVote getPendingVotes getValidatorsByBlockHash getValidatorsByBlockNumber
    proposeValidatorVote getSignerMetrics
  `,
  qbft: `
    discardValidatorVote getPendingVotes getValidatorsByBlockHash getValidatorsByBlockNumber
    proposeValidatorVote getSignerMetrics getRequestTimeoutSeconds
  `,
  miner: `
    changeTargetGasLimit start stop getMinPriorityFee setMinPriorityFee getMinGasPrice setMinGasPrice
    getExtraData setExtraData
  `,
  net: `
    enode listening peerCount services version
  `,
  perm: `
    addAccountsToWhitelist addAccountsToAllowlist addNodesToWhitelist addNodesToAllowlist
    getAccountsWhitelist getAccountsAllowlist getNodesWhitelist getNodesAllowlist reloadPermissionsFromFile
    removeAccountsFromAllowlist removeNodesFromAllowlist
  `,
  rpc: `
    modules
  `,
  trace: `
    block call callMany get filter rawTransaction replayBlockTransactions transaction
  `,
  txpool: `
    clientStatistics clientTransactions clientPendingTransactions
    besuStatistics besuTransactions besuPendingTransactions status contentFrom content inspect
  `,
  web3: `
    clientVersion sha3
  `,
  plugins: `
    reloadPluginConfig
  `,
  testing: `
    buildBlockV1
  `,
}

export const BESU_METHODS: ReadonlySet<string> = new Set(
  Object.entries(NAMES).flatMap(([api, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => `${api}_${name}`),
  ),
)

/** Names that Besu knows and never serves. */
const IDLE_METHODS: ReadonlySet<string> = new Set([
  'eth_coinbase',
  'miner_start',
  'miner_stop',
  'perm_addAccountsToWhitelist',
  'perm_addNodesToWhitelist',
  'perm_getAccountsWhitelist',
  'perm_getNodesWhitelist',
])

const NOT_ENABLED = rpcError('METHOD_NOT_ENABLED')
/** No option enables these methods, and the error says so. */
const NOT_YET = rpcError('METHOD_NOT_ENABLED', { reason: 'not part of this version yet' })

/** The errors of Besu's names where this node has no such method. */
export const ABSENT_METHODS = new Map(
  [...BESU_METHODS].map((name) => [name, IDLE_METHODS.has(name) ? NOT_ENABLED : NOT_YET] as const),
)

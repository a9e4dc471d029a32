/**
 * The names that Besu knows, by API, and those of the specification that it spells otherwise (txpool_client*). One of
 * these that does not run on a transport is "not enabled", any other name is "not found"; clients that probe for
 * features tell the two apart. This list is Besu's and ends with it: our own methods are not here.
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

/** Names that Besu knows and never serves: a user of it misses nothing. */
export const IDLE_BESU_METHODS: readonly string[] = [
  'eth_coinbase',
  'miner_start',
  'miner_stop',
  'perm_addAccountsToWhitelist',
  'perm_addNodesToWhitelist',
  'perm_getAccountsWhitelist',
  'perm_getNodesWhitelist',
]

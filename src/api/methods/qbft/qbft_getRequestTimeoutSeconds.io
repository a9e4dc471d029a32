// options: --chain=votes
// in the genesis file
>> {"jsonrpc":"2.0","id":1,"method":"qbft_getRequestTimeoutSeconds","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":4}
// options: --chain=contract
// where it says nothing
>> {"jsonrpc":"2.0","id":2,"method":"qbft_getRequestTimeoutSeconds","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":1}
// options: --chain=ibft2
// a network of the other protocol
>> {"jsonrpc":"2.0","id":3,"method":"qbft_getRequestTimeoutSeconds","params":[]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32604,"message":"Method not enabled"}}

// refused, with the way to do it
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569"}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32604,"message":"The method eth_sendTransaction is not supported. Use eth_sendRawTransaction to send a signed transaction to Besu."}}

"""The same law on a language model: fine-tuning by trl, KL to the base on whole answers, forgetting of old skills."""

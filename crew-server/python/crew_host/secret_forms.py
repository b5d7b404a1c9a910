"""What secrets look like, as their issuers describe them. Each pattern runs in linear time."""

from __future__ import annotations

import re

# Names of variables, and of fields.
NAMES = re.compile(
    r"TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|AUTHORIZATION"
    r"|(?:^|[^A-Z])(?:KEYS?|PASS|PWD|AUTH|CREDS?|PAT)(?:$|[^A-Z])",
    re.IGNORECASE,
)

# How each starts, which is searched for first, and its whole form. The part in parentheses must look random, since
# the name of a web page may start the same way.
FORMS = tuple(
    (start, re.compile(rf"(?<![\w-]){pattern}"))
    for start, pattern in (
        # OpenAI, Anthropic, OpenRouter, DeepSeek, LiteLLM; Langfuse; Stripe; Groq; xAI
        ("sk-", r"sk-([\w-]{16,})"),
        ("pk-", r"pk-([\w-]{16,})"),
        ("rk-", r"rk-([\w-]{16,})"),
        ("gsk", r"gsk[-_]([\w-]{16,})"),
        ("xai-", r"xai-([\w-]{16,})"),
        ("k_live_", r"[spr]k_live_\w{16,}"),
        ("k_test_", r"[spr]k_test_\w{16,}"),
        # Google: an API key, an access token, an OAuth client's secret
        ("AIza", r"AIza[\w-]{35}"),
        ("ya29.", r"ya29\.[\w-]{20,}"),
        ("GOCSPX-", r"GOCSPX-[\w-]{20,}"),
        # AWS: the identifier of a key
        ("AKIA", r"AKIA[A-Z0-9]{16}(?!\w)"),
        ("ASIA", r"ASIA[A-Z0-9]{16}(?!\w)"),
        # GitHub, GitLab, Hugging Face, npm, PyPI, Slack, SendGrid, Tavily, Perplexity, Replicate, Pinecone
        ("gh", r"gh[pousr]_[A-Za-z0-9]{36,}"),
        ("github_pat_", r"github_pat_\w{22,}"),
        ("glpat-", r"glpat-[\w-]{20,}"),
        ("hf_", r"hf_[A-Za-z0-9]{30,}"),
        ("npm_", r"npm_[A-Za-z0-9]{36}"),
        ("pypi-", r"pypi-[\w-]{50,}"),
        ("xox", r"xox[abeoprs]-([\w-]{16,})"),
        ("SG.", r"SG\.[\w-]{22}\.[\w-]{43}"),
        ("tvly-", r"tvly-([\w-]{16,})"),
        ("pplx-", r"pplx-([\w-]{16,})"),
        ("r8_", r"r8_[A-Za-z0-9]{37}"),
        ("pcsk_", r"pcsk_\w{40,}"),
        # A JSON Web Token
        ("eyJ", r"eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}"),
        ("PRIVATE KEY-----", r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\s\w+/=\\]*(?:-----END [A-Z ]{0,20}-----)?"),
    )
)

# What is between the scheme and the host of an address.
USER_IN_URL = re.compile(r"""(?<=://)([^\s/@"'<>]{1,256})@""")

# A value after a name: "x-api-key": "...", Authorization: Bearer ... Each such name has one of the words, casefolded
# (the pattern takes "İ" for "i", which has no such form), and searching for those first takes a fraction of the time.
NAMED_WORDS = ("key", "secret", "token", "passw", "passphrase", "author")
NAMED = re.compile(
    r"""((?:(?:api|access|secret|private)[ _-]?key|secret|token|password|passwd|passphrase|authorization)
    ["']?(?:[ ](?:provided|is))?[ ]{0,3}[:=][ ]{0,3}["']?(?:bearer[ ]|basic[ ])?)
    ([^\s"',;<>\[\](){}*]{8,512})""",
    re.VERBOSE | re.IGNORECASE,
)

# A key whose middle is left out; its first characters say that it is one.
MASKED_KEY = re.compile(r"(?<![\w-])(?:sk|pk|rk|gsk|xai)-[\w-]*(?:\*{4,}[\w-]* | (?:\.{3}|…)[\w-]+)", re.VERBOSE)

# What comes before asterisks that mask a key: a word that says so, and the key's first characters.
MASK_BEFORE = re.compile(r"(?:key|token|secret|password)\w{0,20}\b[^\n*]{0,40}?(?<![\w-])([\w-]{0,24})$", re.IGNORECASE)

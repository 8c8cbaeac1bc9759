"""A certificate authority for one set-up: its box trusts it, and nobody else ever does."""

import contextlib
import datetime
import ipaddress
import os
import ssl
import threading
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from reknit.adapters.files.folders import temporary_folder

_LIFETIME = datetime.timedelta(days=1)


class SetupAuthority:
    """Makes a certificate for each registry that a box connects to. Its key is in memory, and gone with the set-up."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._lock = threading.Lock()
        self._name = _name("reknit set-up")
        own = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        made = _builder(self._name, self._name, self._key.public_key())
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        made = made.add_extension(own, critical=False).add_extension(_SIGNS, critical=True)
        self._certificate = made.sign(self._key, hashes.SHA256())

    @property
    def pem(self) -> str:
        return self._certificate.public_bytes(Encoding.PEM).decode()

    def context(self, host: str) -> ssl.SSLContext:
        """With a certificate for this host."""
        with self._lock:
            if host not in self._contexts:
                self._contexts[host] = self._make(host)
            return self._contexts[host]

    def _make(self, host: str) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        made = _builder(_name(host[:64]), self._name, key.public_key())
        made = made.add_extension(x509.SubjectAlternativeName([_general_name(host)]), critical=False)
        made = made.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        certificate = made.add_extension(issuer, critical=False).sign(self._key, hashes.SHA256())
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with temporary_folder("reknit-certificate-") as folder:  # the library reads them from a file only
            file = Path(folder, "both.pem")
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
                opened.write(certificate.public_bytes(Encoding.PEM) + secret)
            context.load_cert_chain(file)
        return context


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _LIFETIME)
        .not_valid_after(now + _LIFETIME)
    )


def _general_name(host: str) -> x509.GeneralName:
    with contextlib.suppress(ValueError):
        return x509.IPAddress(ipaddress.ip_address(host))
    return x509.DNSName(host)


_SIGNS = x509.KeyUsage(
    digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False, key_encipherment=False,
    data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
)  # fmt: skip

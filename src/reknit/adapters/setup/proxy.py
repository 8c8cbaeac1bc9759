"""The only way out of a set-up's box: a proxy to the user's package registries, with certificates for the box."""

import contextlib
import datetime
import ipaddress
import os
import socket
import ssl
import threading
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.settled_future import call_for_result
from reknit.adapters.setup.exchange import BoxExchange, ProxyRecord
from reknit.adapters.setup.upstream import Upstreams
from reknit.core.setup.registries import Registry

_MAX_CONNECTIONS = 128


class SetupProxy:
    """Implements `ports.BoxServer` for one set-up."""

    def __init__(self, registries: Sequence[Registry], upstreams: Upstreams, authority: "SetupAuthority") -> None:
        self.record = ProxyRecord()
        self._registries, self._upstreams, self._get_tls_context = tuple(registries), upstreams, authority.context
        self._lock = threading.Lock()
        self._is_closed = False
        self._open: set[socket.socket] = set()
        self._seats = threading.BoundedSemaphore(_MAX_CONNECTIONS)

    def serve(self, listener: socket.socket) -> None:
        listener.settimeout(None)
        if self._add(listener):
            threading.Thread(target=self._accept, args=(listener,), name="reknit-setup-proxy", daemon=True).start()

    def close(self) -> None:
        """End every connection. Idempotent."""
        with self._lock:
            self._is_closed = True
            connections = list(self._open)
        for connection in connections:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)  # wakes the thread that waits on it

    def _add(self, connection: socket.socket) -> bool:
        with self._lock:
            if not self._is_closed:
                self._open.add(connection)
                return True
        connection.close()
        return False

    def _remove(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.discard(connection)
        connection.close()

    def _accept(self, listener: socket.socket) -> None:
        try:
            while True:
                connection, _ = listener.accept()
                if self._seats.acquire(blocking=False):
                    threading.Thread(
                        target=self._handle_connection, args=(connection,), name="reknit-setup", daemon=True
                    ).start()
                else:
                    connection.close()
        except OSError:
            return  # the box ended, or `close` was called
        finally:
            self._remove(listener)

    def _handle_connection(self, connection: socket.socket) -> None:
        if self._add(connection):
            # errors are ignored: only the box is affected, and a traceback could have a login in it
            call_for_result(
                lambda: BoxExchange(connection, self._registries, self._upstreams, self.record, self._get_tls_context)
            )
            self._remove(connection)
        self._seats.release()


_LIFETIME = datetime.timedelta(days=1)


class SetupAuthority:
    """Certificate authority of one set-up. Only its box trusts it; the key is only in memory."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._lock = threading.Lock()
        self._issuer = _make_name("reknit set-up")
        own = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        builder = _make_builder(self._issuer, self._issuer, self._key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        builder = builder.add_extension(own, critical=False).add_extension(_AUTHORITY_USAGE, critical=True)
        self._certificate = builder.sign(self._key, hashes.SHA256())

    @property
    def pem(self) -> str:
        return self._certificate.public_bytes(Encoding.PEM).decode()

    def context(self, host: str) -> ssl.SSLContext:
        """Return TLS settings with a certificate for this host."""
        with self._lock:
            if host not in self._contexts:
                self._contexts[host] = self._make_context(host)
            return self._contexts[host]

    def _make_context(self, host: str) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = _make_builder(_make_name(host[:64]), self._issuer, key.public_key())
        builder = builder.add_extension(x509.SubjectAlternativeName([_make_general_name(host)]), critical=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        certificate = builder.add_extension(issuer, critical=False).sign(self._key, hashes.SHA256())
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with temporary_folder("reknit-certificate-") as folder:  # the library reads them from a file only
            file = Path(folder, "both.pem")
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
                opened.write(certificate.public_bytes(Encoding.PEM) + secret)
            context.load_cert_chain(file)
        return context


def _make_name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def _make_builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
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


def _make_general_name(host: str) -> x509.GeneralName:
    with contextlib.suppress(ValueError):
        return x509.IPAddress(ipaddress.ip_address(host))
    return x509.DNSName(host)


_AUTHORITY_USAGE = x509.KeyUsage(
    digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False, key_encipherment=False,
    data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
)  # fmt: skip

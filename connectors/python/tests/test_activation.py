"""Activation in new interpreters, with the real firebase-admin and with unknown versions of it."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import List, Optional

from .stand_in import StandIn

CONNECTOR = Path(__file__).resolve().parents[1]
SITECUSTOMIZE = str(CONNECTOR / "sitecustomize")

SEND = """
    import firebase_admin
    from firebase_admin import messaging
    firebase_admin.initialize_app()
    print(messaging.send(messaging.Message(token="a")))
"""
LOADED = "import sys; print(sorted(m for m in sys.modules if m.startswith(('pushgate', 'firebase', 'google', 'http'))))"


class ActivationTests(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = StandIn()
        self.addCleanup(self.gateway.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def python(self, code: str, path: List[str], variable: Optional[str] = None, options: List[str] = []):
        environment = {"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"}
        if variable is not None:
            environment["FIREBASE_MESSAGING_EMULATOR_HOST"] = variable
        return subprocess.run(
            [sys.executable, *options, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True)

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))

    def assert_output(self, result, text: str) -> None:
        self.assertEqual((result.stdout, result.returncode), (text, 0), result.stderr)

    def test_a_folder_on_the_path_is_enough(self):
        result = self.python(SEND, [SITECUSTOMIZE], self.gateway.address)
        self.assert_output(result, "projects/p/messages/a\n")
        self.assertEqual(self.gateway.paths(), ["POST /v1/projects/pushgate/messages:send"])

    def test_the_pth_file_is_enough(self):
        code = f"import site, sys; sys.path.insert(0, {str(CONNECTOR)!r}); site.addsitedir({str(CONNECTOR)!r})\n"
        result = self.python(code + textwrap.dedent(SEND), [], self.gateway.address)
        self.assert_output(result, "projects/p/messages/a\n")
        self.assertNotIn("Error", result.stderr)

    def test_installing_after_the_import_is_enough(self):
        late = f"""
            import os, sys
            from firebase_admin import messaging
            os.environ["FIREBASE_MESSAGING_EMULATOR_HOST"] = "{self.gateway.address}"
            import pushgate_firebase
            pushgate_firebase.install()
            pushgate_firebase.install()
        """
        result = self.python(textwrap.dedent(late) + textwrap.dedent(SEND), [str(CONNECTOR)])
        self.assert_output(result, "projects/p/messages/a\n")
        self.assertEqual(len(self.gateway.requests), 1)

    def test_without_the_variable_nothing_is_loaded(self):
        pth = f"import site; site.addsitedir({str(CONNECTOR)!r})\n"
        for variable in (None, ""):
            self.assert_output(self.python(pth + LOADED, [SITECUSTOMIZE], variable), "[]\n")

    def test_with_the_variable_the_sdk_is_not_loaded_before_its_import(self):
        result = self.python(LOADED, [SITECUSTOMIZE], self.gateway.address)
        self.assert_output(result, "['pushgate_firebase', 'pushgate_firebase.hook']\n")

    def test_a_hidden_sitecustomize_is_run_too(self):
        self.write("sitecustomize.py", "import sys; sys.other_was_here = True")
        for variable in (None, self.gateway.address):
            result = self.python("import sys; print(sys.other_was_here)", [SITECUSTOMIZE, str(self.folder)], variable)
            self.assert_output(result, "True\n")

    def test_sitecustomizes_that_run_the_next_one_are_each_run_once(self):
        self.write("sitecustomize.py", """
            import os, runpy, sys
            print("other", end=" ")
            here = os.path.dirname(os.path.abspath(__file__))
            for folder in sys.path:
                file = os.path.join(folder, "sitecustomize.py")
                if folder != here and os.path.exists(file):
                    runpy.run_path(file)
                    break
        """)
        folder = str(self.folder)
        self.assert_output(self.python("print()", [folder, SITECUSTOMIZE], self.gateway.address), "other \n")
        self.assert_output(self.python("print()", [SITECUSTOMIZE, folder], self.gateway.address), "other \n")

    def test_a_sitecustomize_earlier_on_the_path_is_not_run_again(self):
        self.write("sitecustomize.py", "print('other')")
        code = f"import runpy; runpy.run_path({SITECUSTOMIZE + '/sitecustomize.py'!r})"
        self.assert_output(self.python(code, [str(self.folder), SITECUSTOMIZE], self.gateway.address), "other\n")

    def test_a_service_wrapped_before_goes_to_the_gateway(self):
        wrapped = """
            import functools
            from firebase_admin import messaging
            original = messaging._MessagingService.__init__
            messaging._MessagingService.__init__ = functools.wraps(original)(lambda *given: original(*given))
            import pushgate_firebase
            pushgate_firebase.install()
        """
        result = self.python(textwrap.dedent(wrapped) + textwrap.dedent(SEND), [str(CONNECTOR)], self.gateway.address)
        self.assert_output(result, "projects/p/messages/a\n")

    def test_finders_with_find_module_only_are_skipped(self):
        older = """
            import sys
            class Older:
                def find_module(self, name, path=None): return None
            import warnings
            warnings.simplefilter("ignore")
            sys.meta_path.insert(1, Older())
        """
        result = self.python(textwrap.dedent(older) + textwrap.dedent(SEND), [SITECUSTOMIZE], self.gateway.address)
        self.assert_output(result, "projects/p/messages/a\n")

    def test_an_unknown_version_fails_instead_of_sending_to_google(self):
        self.write("firebase_admin/__init__.py", "__version__ = '99.0'")
        self.write("firebase_admin/messaging.py", "def send(): pass")
        code = """
            for attempt in range(2):
                try:
                    import firebase_admin.messaging
                except ImportError as error:
                    print(error)
        """
        result = self.python(code, [SITECUSTOMIZE, str(self.folder)], self.gateway.address)
        self.assertEqual(result.stdout.count("does not know firebase-admin 99.0"), 2, result.stderr)
        self.assertIn("FIREBASE_MESSAGING_EMULATOR_HOST", result.stdout)
        self.assert_output(self.python(code, [SITECUSTOMIZE, str(self.folder)]), "")

    def test_an_unknown_service_sends_nothing(self):
        self.write("firebase_admin/credentials.py", "class Base: pass\nclass ApplicationDefault(Base): pass")
        self.write("firebase_admin/__init__.py", "__version__ = '99.0'")
        self.write("firebase_admin/messaging.py", """
            class _MessagingService:
                def __init__(self, app):
                    self._http = app
        """)
        code = """
            from types import SimpleNamespace
            from firebase_admin.messaging import _MessagingService
            _MessagingService(SimpleNamespace(credential=None))
        """
        result = self.python(code, [SITECUSTOMIZE, str(self.folder)], self.gateway.address)
        self.assertIn("RuntimeError: pushgate-firebase-connector does not know firebase-admin 99.0", result.stderr)

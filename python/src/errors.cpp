// Binds the library's errors as exceptions: WrongInput is a ValueError too, Failure a RuntimeError (folder
// python/src). All bindings throw them.
#include "fovea/base/error/error.h"
#include "python/src/parts.h"
#include "python/src/values.h"
#include "python/src/wording.h"

namespace fovea::python {

namespace {

PyObject* base = nullptr;  // these four live as long as the interpreter
PyObject* wrong = nullptr;
PyObject* wrong_kind = nullptr;
PyObject* failed = nullptr;

PyObject* exception_type(const char* name, const char* doc, const py::tuple& bases) {
  PyObject* const type = PyErr_NewExceptionWithDoc(name, doc, bases.ptr(), nullptr);
  if (!type) throw py::error_already_set();
  return type;
}

PyObject* type_of(const Error& error) { return error.kind() == Error::Kind::wrong_input ? wrong : failed; }

py::object exception_of(const Error& error, PyObject* type) {
  const Wording& words = python_wording();
  py::object exception = py::reinterpret_borrow<py::object>(type)(words.paragraph(error));
  exception.attr("problem") = words.problem(error);
  exception.attr("remedy") = words.remedy(error);
  exception.attr("place") = words.location(error.location());
  exception.attr("nearest") = error.remedy().nearest();
  return exception;
}

}  // namespace

void bind_errors(py::module_& module) {
  const auto builtin = [](PyObject* type) { return py::reinterpret_borrow<py::object>(type); };
  base = exception_type("fovea.Error", R"(The base class of Fovea's exceptions.

Attributes
----------
problem, remedy, place
    What is wrong, what to do, and where. Each may be empty.
nearest
    The known name that is nearest to a wrong one. It may be empty.

Examples
--------
>>> import fovea
>>> try:
...     fovea.run("toy-unifrom")
... except fovea.Error as error:
...     error.nearest
'toy-uniform')",
                        py::make_tuple(builtin(PyExc_Exception)));
  wrong = exception_type("fovea.WrongInput", R"(Raised if a name, a setting or data are wrong. It is a ValueError, too.

Examples
--------
>>> import fovea
>>> fovea.data.corpus("none")  # doctest: +IGNORE_EXCEPTION_DETAIL
Traceback (most recent call last):
fovea.WrongInput: there is no corpus 'none')",
                         py::make_tuple(builtin(base), builtin(PyExc_ValueError)));
  wrong_kind = exception_type("fovea.WrongType", R"(Raised if an argument has a wrong type. It is a TypeError, too.

Examples
--------
>>> import fovea
>>> fovea.run(3)  # doctest: +IGNORE_EXCEPTION_DETAIL
Traceback (most recent call last):
fovea.WrongType: the experiment must be a name)",
                              py::make_tuple(builtin(wrong), builtin(PyExc_TypeError)));
  failed = exception_type("fovea.Failure", R"(Raised for what could not be done. It is a RuntimeError, too.

Examples
--------
>>> import fovea
>>> issubclass(fovea.Failure, fovea.Error), issubclass(fovea.Failure, RuntimeError)
(True, True))",
                          py::make_tuple(builtin(base), builtin(PyExc_RuntimeError)));
  module.attr("Error") = builtin(base);
  module.attr("WrongInput") = builtin(wrong);
  module.attr("WrongType") = builtin(wrong_kind);
  module.attr("Failure") = builtin(failed);
  // For what the package itself refuses: the same paragraphs.
  module.def("wrong_input", [](const std::string& what, const std::string& remedy) {
    return exception_of(wrong_input(what, remedy), wrong);
  });
  module.def("wrong_type", [](const std::string& what, const std::string& remedy) {
    return exception_of(wrong_input(what, remedy), wrong_kind);
  });
  module.def("failure", [](const std::string& what, const std::string& remedy) {
    return exception_of(failure(what, remedy), failed);
  });
  // Every remedy that has a code, for tests.
  module.def("remedies", [](const py::list& arguments) {
    py::list all;
    for (int code = 1; code < static_cast<int>(Remedy::Code::count_); ++code) {
      Remedy remedy(static_cast<Remedy::Code>(code), {});
      for (const py::handle argument : arguments) remedy.arguments.push_back(value_of(argument, "an argument"));
      all.append(python_wording().remedy(remedy));
    }
    return all;
  });
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetObject(type_of(error), exception_of(error, type_of(error)).ptr());
    }
  });
}

}  // namespace fovea::python
